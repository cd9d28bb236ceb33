/** `tutti channels`: the environments that a server can reach, of its agents and of other handlers. */
import { type ConnectionOptions, connect } from '../connection/connection.ts';
import type { Listing } from '../resources/print-items.ts';
import { type ListOptions, showList } from '../resources/show-list.ts';
import type { Io } from '../terminal/io.ts';

export interface ChannelsOptions extends ConnectionOptions, ListOptions {}

/** While the list is watched, a new contact time alone is no change. */
const listingOf = ({ watch }: ChannelsOptions): Listing => ({
  columns: [
    { title: 'NAME', cell: 'metadata.name' },
    { title: 'NAMESPACES', cell: 'metadata.namespaces' },
    { title: 'TAGS', cell: 'spec.tags' },
    {
      title: 'LAST_REFRESH',
      cell: 'status.lastCommunicationTimestamp',
      isWide: watch === true,
    },
    { title: 'STATUS', cell: 'status.phase' },
    { title: 'HANDLER_ID', cell: 'metadata.channelhandler_id', isWide: true },
    { title: 'RUNNING_JOB', cell: 'status.currentJobID', isWide: true },
  ],
  // Handlers outside of this server may give no ids. Names are common to all channels.
  idPath: 'metadata.name',
  emptyText: 'No channel fits.',
});

/** Resolves with the exit code. */
export async function listChannels(options: ChannelsOptions, io: Io): Promise<number> {
  const list = { resource: 'channels', listing: listingOf(options) } as const;
  return await showList(await connect(options, io), list, options, io);
}
