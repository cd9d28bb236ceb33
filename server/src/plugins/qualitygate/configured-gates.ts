/** The quality gates that the server knows by name: the built-in ones and those of the configured files. */
import { OrchestratorError } from '@tutti/manifests';
import { BUILT_IN_GATES, type QualityGate } from '@tutti/workflow';
import { type DefinitionFiles, loadDefinitionFiles } from '../../http/definition-files.ts';
import type { DefinitionKind } from '../../http/definition-sources.ts';
import type { SourceDocument } from '../../http/documents.ts';
import type { Logger } from '../../runtime/logger.ts';
import { duplicateWarning, type FoundGate, findGate, gatesOfChecked } from './gate-document.ts';
import { GATE_LIMITS } from './limits.ts';

const GATES: DefinitionKind<QualityGate> = {
  name: 'quality gates',
  parse: (document) => gatesOfChecked(document).map(refuseBuiltIn),
  warnings: (gates) => {
    const names = gates.map(({ name }) => name);
    const duplicates = names.filter((name, index) => names.indexOf(name) !== index);
    return [...new Set(duplicates)].map(duplicateWarning);
  },
  limits: GATE_LIMITS,
};

/** Checks gates of the configuration. Throws `Invalid` with all problems. */
export function checkGates(document: SourceDocument): void {
  GATES.parse(document);
}

/** Loads a file of gates. Throws `Invalid` with the file and all of its problems. */
export async function loadConfiguredGates(
  paths: readonly string[],
  logger: Logger,
): Promise<ConfiguredGates> {
  return new ConfiguredGates(await loadDefinitionFiles(GATES, paths, logger));
}

export class ConfiguredGates {
  readonly #files: DefinitionFiles<QualityGate>;

  constructor(files: DefinitionFiles<QualityGate>) {
    this.#files = files;
  }

  /** Each name once. */
  async names(): Promise<readonly string[]> {
    const gates = [...BUILT_IN_GATES, ...(await this.#files.all())];
    return [...new Set(gates.map(({ name }) => name))];
  }

  async find(name: string): Promise<FoundGate | null> {
    const configured = await this.#files.all();
    return findGate(BUILT_IN_GATES, name) ?? findGate(configured, name);
  }
}

/** `strict` must be the gate that the interface describes. */
function refuseBuiltIn(gate: QualityGate): QualityGate {
  if (BUILT_IN_GATES.every(({ name }) => name !== gate.name)) return gate;
  throw new OrchestratorError(
    'Invalid',
    `The quality gate "${gate.name}" is built in and cannot be defined anew.`,
  );
}
