/** `tutti schema`: the schema of workflows for editors, with the functions that steps can call. */
import { findFunctions } from '../authoring/known-functions.ts';
import { schemaText } from '../authoring/schema-text.ts';
import type { ConnectionOptions } from '../connection/connection.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';

export interface SchemaOptions extends ConnectionOptions {
  readonly apiGroup?: string | undefined;
}

/** Prints the schema of workflows. Resolves with the exit code. */
export async function printSchema(options: SchemaOptions, io: Io): Promise<number> {
  const { items } = await findFunctions(options, io);
  const apiGroup = options.apiGroup ?? (io.env.TUTTI_API_GROUP || undefined);
  io.screen.write(await schemaText(items, apiGroup));
  return EXIT_CODES.done;
}
