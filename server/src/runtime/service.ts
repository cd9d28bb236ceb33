/**
 * A long-lived part of the server. `start` may be called once. `stop` is idempotent, safe before `start`, and resolves only when nothing of
 * the service runs any more.
 */
export interface Service {
  readonly name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts services in order. If one fails, stops it and earlier ones in reverse, and throws. */
export async function startAll(services: readonly Service[]): Promise<void> {
  const begun: Service[] = [];
  for (const service of services) {
    // Registered before it starts: a half-started service must be stopped too.
    begun.push(service);
    try {
      await service.start();
    } catch (cause) {
      const errors = await stopAll(begun).then(
        () => [],
        (error) => [error],
      );
      throw new AggregateError([cause, ...errors], `Service ${service.name} did not start.`, {
        cause,
      });
    }
  }
}

/** Stops services in reverse order; every one is stopped, errors are collected. */
export async function stopAll(services: readonly Service[]): Promise<void> {
  const errors: unknown[] = [];
  for (const service of [...services].reverse()) {
    try {
      await service.stop();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'Some services did not stop cleanly.');
}
