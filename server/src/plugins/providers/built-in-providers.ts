import type { Provider } from '@tutti/sdk';
import { artifactActionsProvider } from './artifact-actions.ts';
import { checkoutProvider } from './checkout.ts';
import { createArchiveProvider } from './create-archive.ts';
import { createFileProvider } from './create-file.ts';
import { fetchFileProvider } from './fetch-file.ts';
import { fileActionsProvider } from './file-actions.ts';
import { prepareInceptionProvider } from './prepare-inception.ts';

/** The providers of every server that are written in code; the folder `manifests` has the others. */
export const codeProviders: readonly Provider[] = [
  artifactActionsProvider,
  checkoutProvider,
  createArchiveProvider,
  createFileProvider,
  fetchFileProvider,
  fileActionsProvider,
  prepareInceptionProvider,
];
