import type { Provider } from '@tutti/sdk';
import { checkoutProvider } from './checkout.ts';
import { createFileProvider } from './create-file.ts';
import { fetchFileProvider } from './fetch-file.ts';

/** The providers of every server that are written in code; the folder `manifests` has the others. */
export const codeProviders: readonly Provider[] = [
  checkoutProvider,
  createFileProvider,
  fetchFileProvider,
];
