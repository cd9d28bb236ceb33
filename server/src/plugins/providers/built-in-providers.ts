import type { Provider } from '@tutti/sdk';
import { checkoutProvider } from './checkout.ts';
import { createFileProvider } from './create-file.ts';
import { fetchFileProvider } from './fetch-file.ts';
import { nodeTestProvider } from './node-test.ts';

/** The providers that every server has. */
export const builtInProviders: readonly Provider[] = [
  checkoutProvider,
  createFileProvider,
  fetchFileProvider,
  nodeTestProvider,
];
