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
  return [{ ...finding, isForBelow }];
};

export const findDotnet: Detector = ({ entries }) => {
  const solution = entries.find((name) => /\.slnx?$/.test(name));
  const project = solution ?? entries.find((name) => /\.(?:cs|fs|vb)proj$/.test(name));
  if (project === undefined) return [];
  const step = { uses: 'dotnet/test@v1', with: { project } };
  return [{ ...plain('dotnet', `.NET, by ${project}`, ['dotnet'], step), isForBelow: true }];
};

export const findPhp: Detector = ({ entries }) => {
  const by = ['phpunit.xml', 'phpunit.xml.dist', 'phpunit.dist.xml'].find((file) =>
    entries.includes(file),
  );
  if (by === undefined) return [];
  const isDone = entries.includes('vendor/');
  const preparations = [{ commands: ['composer install'], note: '', isDone }];
  const step = { uses: 'phpunit/phpunit@v1', with: {} };
  return [{ ...plain('phpunit', `PHPUnit, by ${by}`, ['php'], step), preparations }];
};

function plain(
  job: string,
  title: string,
  programs: readonly string[],
  step: Finding['step'],
): Finding {
  return { job, title, programs, preparations: [], step, notes: [], isForBelow: false };
}
