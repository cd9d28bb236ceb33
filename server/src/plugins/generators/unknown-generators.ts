/**
 * Refuses commands for generators that nobody offers, so that a run does not wait for them. All generators are plugins of others,
 * which subscribe to their commands.
 */
import { executionError, type GeneratorCommandEvent } from '@tutti/manifests';
import { didYouMean } from '@tutti/manifests/documents';
import { functionOfLabels } from '@tutti/workflow';
import { factOf } from '@tutti/workflow/facts';
import type { EventBus } from '../../bus/bus.ts';
import type { Clock } from '../../runtime/clock.ts';
import { INTERNAL_ERROR } from '../../runtime/sentence.ts';

interface UnknownGeneratorsDeps {
  readonly bus: Pick<EventBus, 'publish' | 'subscribeDurably'>;
  readonly clock: Clock;
  readonly apiGroup: string;
  /** Whether somebody subscribed to commands like this one, and will answer it. */
  isAnsweredElsewhere(command: GeneratorCommandEvent): boolean;
  /** Labels that others subscribed to such commands with. */
  labelsElsewhere(command: GeneratorCommandEvent): readonly Readonly<Record<string, string>>[];
}

/** To be called before the bus starts. */
export function refuseUnknownGenerators(deps: UnknownGeneratorsDeps): void {
  deps.bus.subscribeDurably('generators', 'GeneratorCommand', {
    takes: (command) => !isCall(command) && !deps.isAnsweredElsewhere(command),
    handle: async (command) => {
      const error = unknownGenerator(deps, command);
      await deps.bus.publish(executionError(deps, command.metadata, error));
    },
    giveUp: async (command) => {
      const error = `The generator "${command.generator}" failed: ${INTERNAL_ERROR}`;
      await deps.bus.publish(executionError(deps, command.metadata, error));
    },
  });
}

function unknownGenerator(
  { labelsElsewhere, apiGroup }: UnknownGeneratorsDeps,
  command: GeneratorCommandEvent,
): string {
  const { generator } = command;
  const known = labelsElsewhere(command).flatMap(
    (labels) => functionOfLabels(labels, apiGroup) ?? [],
  );
  return `No plugin offers the generator "${generator}"${didYouMean(generator, known) || '.'}`;
}

/** Calls of workflows look like generators, and are answered by the server itself. */
const isCall = (command: GeneratorCommandEvent): boolean => factOf(command).called !== null;
