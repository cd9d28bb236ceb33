/** `GET /providers`: the functions that steps can call (beyond the specification). */
import { basename } from 'node:path';
import { type ChannelOs, type InputDeclarations, status } from '@tutti/manifests';
import { formatFunctionName } from '@tutti/sdk';
import { labelsAskedFor } from '@tutti/selectors';
import { functionOfLabels } from '@tutti/workflow';
import type { ServerEventBus } from '../../bus/event-bus.ts';
import { isWithin } from '../../bus/subscription-record.ts';
import { sendStatus } from '../../http/reply.ts';
import type { DescribedOperation, Routes } from '../../http/routes.ts';
import type { ListedFunction, ProviderCatalog } from './provider-catalog.ts';

export interface ProviderRoutesDeps {
  readonly apiGroup: string;
  readonly bus: Pick<ServerEventBus, 'subscriptions'>;
  readonly catalog: ProviderCatalog;
}

/** A function in listings. A plugin's function shows only its name and its source. */
export interface ShownFunction {
  readonly name: string;
  readonly origin: 'built-in' | 'file' | 'bus';
  readonly description: string | null;
  /** Null when nobody but the plugin knows them. */
  readonly inputs: InputDeclarations | null;
  /** The systems that it has steps for; null where nobody says. */
  readonly systems: readonly ChannelOs[] | null;
  /** The name of the file, or that of the subscription of the plugin. */
  readonly source: string | null;
}

const ACCESS = { resource: 'providers', verb: 'list' } as const;

const EXAMPLE: ShownFunction = {
  name: 'pytest/execute@v1',
  origin: 'built-in',
  description: 'Runs tests of pytest.',
  inputs: { test: { description: 'A file.', type: 'string', required: true } },
  systems: ['linux', 'macos', 'windows'],
  source: null,
};

const operation: DescribedOperation = ({ listing, listOf, oneOf, record, text }) => {
  const shown = record({
    name: text,
    origin: oneOf('built-in', 'file', 'bus'),
    description: { type: ['string', 'null'] },
    inputs: { type: ['object', 'null'] },
    systems: { type: ['array', 'null'], items: text },
    source: { type: ['string', 'null'] },
  });
  return { id: 'listProviders', answers: listing('Known functions', listOf(shown), [EXAMPLE]) };
};

export function providerRoutes(deps: ProviderRoutesDeps): Routes {
  return (app) => {
    app.get(
      '/providers',
      {
        config: { access: ACCESS },
        schema: { summary: 'List functions', tags: ['providers'], operation },
      },
      async (request, reply) => {
        const here = await Promise.all((await deps.catalog.all()).map(shownFunction));
        const elsewhere = functionsOnBus(deps, request.access.namespaces('providers', 'list'));
        const items = [...here, ...elsewhere].toSorted((left, right) =>
          left.name < right.name ? -1 : 1,
        );
        return sendStatus(reply, status('OK', 'Known functions', { items }));
      },
    );
  };
}

async function shownFunction(listed: ListedFunction): Promise<ShownFunction> {
  const { called, origin, file } = listed;
  return {
    name: formatFunctionName(called),
    origin,
    description: called.description,
    inputs: called.inputs,
    systems: await systemsOf(listed),
    source: file === null ? null : basename(file),
  };
}

const SYSTEMS = ['linux', 'macos', 'windows'] as const satisfies readonly ChannelOs[];

/** Functions in code, and those that pass parameters on, have steps for all. */
async function systemsOf({ called, manifest }: ListedFunction): Promise<readonly ChannelOs[]> {
  if (manifest === null) return SYSTEMS;
  const { namesOf, stepsFor } = await import('@tutti/sdk/manifest');
  const name = formatFunctionName(called);
  const described = manifest.functions.find((each) => namesOf(each).includes(name));
  if (described === undefined) return SYSTEMS;
  return SYSTEMS.filter((os) => stepsFor(os, described.steps) !== null);
}

/** `prefix/*` where a plugin subscribed to all functions of a prefix. */
function anyOfPrefix(
  labels: Readonly<Record<string, string>>,
  apiGroup: string,
): string | readonly string[] {
  const prefix = labels[`${apiGroup}/categoryPrefix`];
  return prefix === undefined ? [] : `${prefix}/*`;
}

/** Functions whose plugins subscribed to their labels, in namespaces that the bearer sees. */
function functionsOnBus(
  { apiGroup, bus }: ProviderRoutesDeps,
  scope: ReadonlySet<string> | '*',
): readonly ShownFunction[] {
  const visible = [...bus.subscriptions()].filter((record) => isWithin(record, scope));
  return visible.flatMap(({ name: source, spec: { selector = {} } }) => {
    if (selector.matchKind !== 'ProviderCommand') return [];
    const names = labelsAskedFor(selector).flatMap(
      (labels) => functionOfLabels(labels, apiGroup) ?? anyOfPrefix(labels, apiGroup),
    );
    const known = { description: null, inputs: null, systems: null };
    return names.map((name) => ({ name, origin: 'bus', ...known, source }) as const);
  });
}
