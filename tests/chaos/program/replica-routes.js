/**
 * Loaded before a replica: what it sends to other replicas goes through proxies. `TUTTI_CHAOS_ROUTES` names the port of the proxy for each
 * port of a replica. Plain JavaScript, as it is loaded in threads, too.
 */
import { Socket } from 'node:net';

const routes = JSON.parse(process.env.TUTTI_CHAOS_ROUTES ?? '{}');
const connect = Socket.prototype.connect;

const routed = (options) =>
  Object.hasOwn(routes, options?.port) ? { ...options, port: routes[options.port] } : options;

Socket.prototype.connect = function connectRouted(...args) {
  const [first] = args;
  // Node has arguments in a list that it marks.
  if (Array.isArray(first)) first[0] = routed(first[0]);
  else args[0] = routed(first);
  return connect.apply(this, args);
};
