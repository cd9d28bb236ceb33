export { namesOf, providerOfManifest } from './manifest-provider.ts';
export { PARAMETER_FILE_VARIABLE } from './params-function.ts';
export { createProviderCheck, isProviderDocument, type ProviderCheck } from './provider-check.ts';
export { stepsFor } from './render-steps.ts';
