/** Lists of channels, by which channel handlers in other processes make themselves known (wire facts 2.13). */

/**
 * What a publication says of a channel handler, undefined when it is no list of channels. Such a notification is about no run: the
 * `workflow_id` in its metadata only fills a place.
 */
export function channelHandlerOf({ kind, spec }: Readonly<Record<string, unknown>>): unknown {
  const isList = kind === 'Notification' && typeof spec === 'object' && spec !== null;
  return isList && 'channelHandler' in spec ? spec.channelHandler : undefined;
}
