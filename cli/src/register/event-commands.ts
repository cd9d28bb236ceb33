/** Commands about events: subscriptions and publishing. */
import { type Command, Option } from 'commander';
import type { CreateSubscriptionOptions } from '../commands/create-subscription.ts';
import type { ListenOptions } from '../commands/listen.ts';
import type { PublishOptions } from '../commands/publish.ts';
import type {
  DeleteSubscriptionsOptions,
  SubscriptionsOptions,
} from '../commands/subscriptions.ts';
import { withConnection } from '../options/connection-options.ts';
import { addNames, addPair, readCount, readSeconds } from '../options/option-values.ts';
import { withSelectors } from '../options/selector-options.ts';
import { withWatch } from '../options/watch-option.ts';
import { resourceOutputOption } from '../resources/output.ts';
import type { Act } from './act.ts';

export function addEventCommands(program: Command, act: Act): void {
  const subscriptions = program
    .command('subscriptions')
    .description('Show, make and cancel subscriptions to events, and show events as they pass.');
  addList(subscriptions, act);
  addCreate(subscriptions, act);
  addListen(subscriptions, act);
  addDelete(subscriptions, act);
  addPublishCommand(program, act);
}

function addList(subscriptions: Command, act: Act): void {
  const list = subscriptions
    .command('list', { isDefault: true })
    .description('Show subscriptions, also those of the services that a server is made of.');
  withWatch(withSelectors(withConnection(list)))
    .addOption(resourceOutputOption())
    .addHelpText(
      'after',
      '\nExample:\n  tutti subscriptions --field-selector metadata.name==my-inbox -o wide',
    )
    .action(async (options: SubscriptionsOptions) => {
      const { listSubscriptions } = await import('../commands/subscriptions.ts');
      await act((io) => listSubscriptions(options, io));
    });
}

function addCreate(subscriptions: Command, act: Act): void {
  const create = subscriptions
    .command('create')
    .description('Have events sent to an inbox from now on: an address that takes them by POST.');
  withConnection(create)
    .addOption(
      new Option(
        '-f, --file <file>',
        'the whole subscription, in YAML or JSON; - is standard input',
      ).conflicts(['endpoint', 'name', 'kind', 'labelSelector', 'fieldSelector', 'insecureInbox']),
    )
    .option('--endpoint <url>', 'where events are sent')
    .option('--name <name>', 'name in listings; the host of the address if absent')
    .option('--kind <kind>', 'events of this kind, as in WorkflowCompleted; of all kinds if absent')
    .option(
      '-l, --label-selector <name=value>',
      'events with this label; may be repeated',
      addPair('-l'),
    )
    .option(
      '--field-selector <path=value>',
      'events with this field; may be repeated',
      addPair('--field-selector'),
    )
    .option('--insecure-inbox', 'take any certificate of the inbox')
    .addOption(
      new Option('-o, --output <format>', 'name: the id alone')
        .choices(['text', 'name'])
        .default('text'),
    )
    .addHelpText('after', CREATE_EXAMPLES)
    .action(async (options: CreateSubscriptionOptions) => {
      const { createSubscription } = await import('../commands/create-subscription.ts');
      await act((io) => createSubscription(options, io));
    });
}

const CREATE_EXAMPLES = `
Examples:
  tutti subscriptions create --kind WorkflowCompleted --endpoint https://inbox.example/events
  tutti subscriptions create -f subscription.yaml`;

function addListen(subscriptions: Command, act: Act): void {
  const listen = subscriptions
    .command('listen')
    .description(
      'Show events while they pass, a line for each, until Ctrl-C. The server need not reach this machine.',
    );
  withSelectors(withConnection(listen))
    .option(
      '--kind <list>',
      'those of these kinds, as in WorkflowCompleted,WorkflowCanceled',
      addNames('--kind'),
    )
    .option('--count <count>', 'end after so many', readCount)
    .option('--timeout <time>', 'end after that time, as in 30 (seconds) or 5m', readSeconds)
    .addOption(resourceOutputOption())
    .addHelpText('after', LISTEN_HELP)
    .action(async (options: ListenOptions) => {
      const { listenToEvents } = await import('../commands/listen.ts');
      await act((io) => listenToEvents(options, io));
    });
}

const LISTEN_HELP = `
Each event is shown when it comes: with -o json as a document on one line, with -o yaml as one behind ---, with -o name as the id of
the workflow that it is about, if it is about one.

Examples:
  tutti subscriptions listen --kind WorkflowCompleted,WorkflowCanceled
  tutti subscriptions listen --field-selector metadata.name==smoke --count 1 --timeout 10m -o json
  tutti subscriptions listen --kind WorkflowCompleted -o name | xargs -n 1 tutti report

Exit codes:
  0  as many came as --count says; without it, Ctrl-C or --timeout ended it
  2  wrong use, a refusal of the server, or a server that cannot be reached
  101  with --count and --timeout: the time is over, and fewer came
  130, 143  with --count: Ctrl-C, or SIGTERM, before so many came`;

function addDelete(subscriptions: Command, act: Act): void {
  const remove = subscriptions
    .command('delete')
    .description('Cancel subscriptions. What waits for their inboxes is dropped.')
    .argument('[ids...]', 'ids of subscriptions, or how they begin');
  withSelectors(withConnection(remove))
    .option('--all', 'all that send to an inbox')
    .option('-y, --yes', 'do not ask whether several that were chosen by selectors are meant')
    .addHelpText(
      'after',
      '\nExample:\n  tutti subscriptions delete --field-selector metadata.name==my-inbox',
    )
    .action(async (ids: readonly string[], options: DeleteSubscriptionsOptions) => {
      const { deleteSubscriptions } = await import('../commands/subscriptions.ts');
      await act((io) => deleteSubscriptions(ids, options, io));
    });
}

function addPublishCommand(program: Command, act: Act): void {
  const publish = program
    .command('publish')
    .description('Give an event to whoever subscribed to events like it.')
    .argument('[file]', 'the event, in YAML or JSON; - is standard input');
  withConnection(publish)
    .option('--kind <kind>', 'its kind, over that of the file')
    .option('--name <name>', 'its metadata.name')
    .option('--namespace <name>', 'its metadata.namespace')
    .option('--workflow <id>', 'its metadata.workflow_id: the run that it is about')
    .option(
      '-e, --entry <path=value>',
      'a text in it, as in spec.text=hello; may be repeated',
      addPair('-e'),
    )
    .addHelpText('after', PUBLISH_HELP)
    .action(async (file: string | undefined, options: PublishOptions) => {
      const { publishEvent } = await import('../commands/publish.ts');
      await act((io) => publishEvent(file, options, io));
    });
}

const PUBLISH_HELP = `
Examples:
  tutti publish --kind DeploymentDone --name shop -e metadata.labels.team=web -e spec.version=1.2.0
  echo '{"kind": "DeploymentDone"}' | tutti publish -

Exit codes:
  0  somebody gets it
  1  it was received, and nobody subscribed to events like it
  2  it was not published`;
