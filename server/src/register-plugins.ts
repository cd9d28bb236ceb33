/** Registers the plugins of the server at its bus. */
import type { RunEvent } from '@tutti/manifests';
import { parseFunctionName } from '@tutti/sdk';
import type { BlobStore } from './blobs/blob-store.ts';
import type { RunDirectory } from './bus/bus.ts';
import type { ServerEventBus } from './bus/event-bus.ts';
import type { OperatorHooks } from './hook-files.ts';
import type { DocumentTasks } from './http/document-tasks.ts';
import { HANDLER_ID } from './plugins/agentchannel/jobs/handler-id.ts';
import { refuseUnknownGenerators } from './plugins/generators/unknown-generators.ts';
import { INCEPTION_HANDLER_ID, offerInception } from './plugins/inception/inception.ts';
import { interpretReports } from './plugins/interpreters/interpreter-host.ts';
import type { ProviderCatalog } from './plugins/providers/provider-catalog.ts';
import { hostProviders } from './plugins/providers/provider-host.ts';
import { scriptsOfCall } from './plugins/providers/scripts-of-call.ts';
import { judgeSteps } from './plugins/testjudge/test-judge.ts';
import type { Clock } from './runtime/clock.ts';
import type { ServerConfig } from './runtime/config.ts';
import type { Logger } from './runtime/logger.ts';
import { answerCalls } from './services/receptionist/called-workflows.ts';
import type { Store } from './store/store.ts';

export const HANDLER_IDS = [HANDLER_ID, INCEPTION_HANDLER_ID];

/** Subscriptions by which existing tools recognise that the server is complete. */
const BUILT_IN = [
  'arranger',
  'observer',
  'agentchannel',
  'localstore',
  'qualitygate',
  'insightcollector',
];

interface PluginDeps {
  readonly bus: ServerEventBus;
  readonly blobs: BlobStore;
  readonly store: Store;
  readonly clock: Clock;
  readonly documents: DocumentTasks;
  readonly apiGroup: string;
  readonly limits: ServerConfig['limits'];
  readonly hooks: OperatorHooks;
  readonly catalog: ProviderCatalog;
  readonly runs: RunDirectory;
}

export function registerPlugins(deps: PluginDeps): void {
  const { bus, hooks, catalog } = deps;
  for (const name of BUILT_IN) bus.registerBuiltIn(name);
  interpretReports(deps);
  offerInception({
    ...deps,
    scriptsOfCall: (step, os) => scriptsOfCall(catalog, step, os),
    fileBytesMax: deps.limits.fileBytes,
  });
  // An inbox that gets all events, such as a monitor, answers no command.
  const isAnsweredElsewhere = (command: RunEvent) => bus.hasInboxFor(command, { byLabel: true });
  const labelsElsewhere = (command: RunEvent) => bus.labelsWanted(command);
  hostProviders({
    ...deps,
    catalog,
    hooksOf: (prefix) => hooks.ofFunctions(prefix),
    isAnsweredElsewhere,
    labelsElsewhere,
  });
  judgeSteps({
    ...deps,
    async unitOf(uses) {
      const name = parseFunctionName(uses);
      return (name === null ? null : await catalog.find(name))?.unit ?? null;
    },
  });
  refuseUnknownGenerators({ ...deps, isAnsweredElsewhere, labelsElsewhere });
  answerCalls(deps);
}

export async function offerPluginFiles(
  directory: string | undefined,
  deps: Pick<PluginDeps, 'bus' | 'blobs' | 'runs'> & { readonly logger: Logger },
): Promise<void> {
  if (directory === undefined) return;
  const { offerCommandFiles } = await import('./services/eventbus/command-files.ts');
  offerCommandFiles({ ...deps, directory, handlerIds: HANDLER_IDS });
}
