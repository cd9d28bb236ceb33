/** Lists of channels, by which channel handlers in other processes announce themselves (wire facts 2.13). */

/**
 * The channel handler that a list of channels is about; undefined for all other publications. Such a notification belongs to no run: the
 * `workflow_id` in its metadata only fills a place.
 */
export function channelHandlerOf({ kind, spec }: Readonly<Record<string, unknown>>): unknown {
  const isList = kind === 'Notification' && typeof spec === 'object' && spec !== null;
  return isList && 'channelHandler' in spec ? spec.channelHandler : undefined;
}
