/** The app with real parts, for tests of routes through `inject`. */
import type { FastifyInstance } from 'fastify';
import { createTestAuthority, type TestAuthority } from '../auth/testing.ts';
import { createIds, systemClock } from '../runtime/clock.ts';
import { loadConfig, type ServerConfigInput } from '../runtime/config.ts';
import { createLogger, type Logger } from '../runtime/logger.ts';
import { createApp } from './app.ts';
import type { PageSessions } from './page-requests.ts';
import type { Routes } from './routes.ts';

export interface TestApp {
  readonly app: FastifyInstance;
  readonly authority: TestAuthority;
  /** `Authorization` of a token without restrictions. */
  readonly admin: string;
  /** `Authorization` of a token that is restricted by the claim `tutti`. */
  restricted(scope: object): Promise<string>;
}

export interface TestAppOptions {
  readonly routes: readonly Routes[];
  readonly config?: ServerConfigInput;
  readonly logger?: Logger;
  /** For an app that has pages. */
  readonly sessions?: () => Promise<PageSessions>;
}

export async function createTestApp(options: TestAppOptions): Promise<TestApp> {
  const authority = createTestAuthority();
  const app = createApp({
    authenticator: authority.authenticator(),
    logger: options.logger ?? createLogger({ level: 'silent' }),
    ids: createIds(systemClock),
    config: loadConfig({ env: {}, options: options.config ?? {} }),
    version: '1.2.3',
    ...(options.sessions && { sessions: options.sessions }),
  });
  for (const routes of options.routes) routes(app);
  return {
    app,
    authority,
    admin: await authority.bearer({ sub: 'alice' }),
    restricted: (scope) => authority.bearer({ sub: 'bob', tutti: scope }),
  };
}
