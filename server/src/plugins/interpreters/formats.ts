/** Maps formats to readers. A reader is loaded with the first report of its format: a server without reports loads none. */
import type { ReportFormat } from '@tutti/manifests';
import type { CreateFormatReader } from './format-reader.ts';

const LOADERS: Readonly<Record<ReportFormat, () => Promise<CreateFormatReader>>> = {
  surefire: async () => (await import('./surefire/junit-reader.ts')).createJunitReader,
  robot: async () => (await import('./robot/robot-reader.ts')).createRobotReader,
  cucumber: async () => (await import('./cucumber/cucumber-reader.ts')).createCucumberReader,
  trx: async () => (await import('./trx/trx-reader.ts')).createTrxReader,
  nunit: async () => (await import('./nunit/nunit-reader.ts')).createNunitReader,
  xunit: async () => (await import('./xunit/xunit-reader.ts')).createXunitReader,
  tap: async () => (await import('./tap/tap-reader.ts')).createTapReader,
  ctrf: async () => (await import('./ctrf/ctrf-reader.ts')).createCtrfReader,
  gotest: async () => (await import('./gotest/gotest-reader.ts')).createGotestReader,
};

export async function loadReader(format: ReportFormat): Promise<CreateFormatReader> {
  return await LOADERS[format]();
}
