/** Tests of Java, Go, Rust, .NET and PHP, by the files that their tools read. */
import type { Detector, Finding, Folder } from './finding.ts';

export const findJava: Detector = (folder) => {
  const { entries } = folder;
  if (entries.includes('pom.xml')) {
    const wrapper = entries.includes('mvnw');
    const build = wrapper ? { build: 'mvnw' } : {};
    const step = { uses: 'junit/junit@v1', with: { datasource: '.', ...build } };
    const programs = [wrapper ? 'java' : 'mvn'];
    const isForBelow = contains(folder, 'pom.xml', /<module>/);
    return [{ ...plain('junit', 'JUnit with Maven, by pom.xml', programs, step), isForBelow }];
  }
  const build = GRADLE_FILES.find((file) => entries.includes(file));
  if (build === undefined) return [];
  const wrapper = entries.includes('gradlew');
  const programs = wrapper ? ['java'] : ['gradle'];
  const step = { uses: 'junit/gradletest@v1', with: { wrapper } };
  const isForBelow = GRADLE_FILES.some((file) => contains(folder, file, /^\s*include\b/m));
  return [{ ...plain('junit', `JUnit with Gradle, by ${build}`, programs, step), isForBelow }];
};

const GRADLE_FILES = ['build.gradle.kts', 'build.gradle', 'settings.gradle.kts', 'settings.gradle'];

const contains = (folder: Folder, file: string, mark: RegExp): boolean =>
  folder.entries.includes(file) && mark.test(folder.text(file) ?? '');

/** Each module has its own call: the packages of a module do not include modules in folders below. */
export const findGo: Detector = ({ entries }) =>
  entries.includes('go.mod')
    ? [plain('go', 'Go, by go.mod', ['go'], { uses: 'go/test@v1', with: {} })]
    : [];

export const findRust: Detector = (folder) => {
  if (!folder.entries.includes('Cargo.toml')) return [];
  const isForBelow = contains(folder, 'Cargo.toml', /^\s*\[workspace\b/m);
  const options = isForBelow ? { options: ['--workspace'] } : {};
  const step = { uses: 'cargo/test@v1', with: options };
  const finding = plain('cargo', 'Cargo, by Cargo.toml', ['cargo', 'cargo-nextest'], step);
  const notes = ['Where cargo-nextest is missing: cargo install --locked cargo-nextest'];
  return [{ ...finding, notes, isForBelow }];
};

const DOTNET_TESTS = /Microsoft\.NET\.Test\.Sdk|<IsTestProject>true|\bMSTest\b|\bxunit\b|\bNUnit\b/;

/** A solution, else a project that has tests. */
export const findDotnet: Detector = ({ entries, text }) => {
  const solution = entries.find((name) => /\.slnx?$/.test(name));
  const isTests = (name: string) =>
    /\.(?:cs|fs|vb)proj$/.test(name) && DOTNET_TESTS.test(text(name) ?? '');
  const project = solution ?? entries.find(isTests);
  if (project === undefined) return [];
  const step = { uses: 'dotnet/test@v1', with: { project } };
  return [{ ...plain('dotnet', `.NET, by ${project}`, ['dotnet'], step), isForBelow: true }];
};

const PHPUNIT_FILES = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'];

/** Without a configuration, PHPUnit has to be told where the tests are. */
export const findPhp: Detector = (folder) => {
  const { entries } = folder;
  const config = PHPUNIT_FILES.find((file) => entries.includes(file));
  const isUsed = contains(folder, 'composer.json', /"phpunit\/phpunit"/);
  const test = ['tests', 'test'].find((name) => entries.includes(`${name}/`));
  if (config === undefined && (!isUsed || test === undefined)) return [];
  const isDone = entries.includes('vendor/');
  const isComposed = entries.includes('composer.json');
  const preparations = isComposed ? [{ commands: ['composer install'], note: '', isDone }] : [];
  const ofProject = ['php', ...(isComposed && !isDone ? ['composer'] : [])];
  const programs = isComposed || isDone ? ofProject : ['phpunit'];
  const inputs = config !== undefined || test === undefined ? {} : { test };
  const step = { uses: 'phpunit/phpunit@v1', with: inputs };
  const title = `PHPUnit, by ${config ?? 'composer.json'}`;
  return [{ ...plain('phpunit', title, programs, step), preparations, isForBelow: true }];
};

function plain(
  job: string,
  title: string,
  programs: readonly string[],
  step: Finding['step'],
): Finding {
  return { job, title, programs, preparations: [], step, notes: [], isForBelow: false };
}
