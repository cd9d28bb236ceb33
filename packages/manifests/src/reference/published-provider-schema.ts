/** The schema of descriptions of providers for editors: JSON Schema draft 7. */
import { providerManifestSchema } from '../provider-manifest.ts';

export const PUBLISHED_PROVIDER_SCHEMA_ID = 'urn:tutti:provider';

export function publishedProviderSchema(): Readonly<Record<string, unknown>> {
  return {
    ...providerManifestSchema,
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: PUBLISHED_PROVIDER_SCHEMA_ID,
  };
}
