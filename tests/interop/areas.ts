/** All that the suite claims. */
import { AGENTS } from './agents/area.ts';
import { CLIENT_AREA, WAITING_AREA } from './clients/area.ts';
import { OPERATORS } from './operator/area.ts';
import { PLUGIN_AREA } from './plugins/area.ts';
import { PUBLISHED_AREA } from './published/area.ts';
import { SCHEMAS } from './schemas/area.ts';
import type { Area } from './subjects.ts';
import { WORKFLOWS } from './workflows/area.ts';

export const AREAS: readonly Area[] = [
  AGENTS,
  OPERATORS,
  CLIENT_AREA,
  WAITING_AREA,
  PLUGIN_AREA,
  SCHEMAS,
  PUBLISHED_AREA,
  WORKFLOWS,
];
