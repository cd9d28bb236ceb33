/** Tests of Java, Go, Rust, .NET and PHP, by the files that their tools read. */
import type { Detector, Finding } from './finding.ts';

export const findJava: Detector = ({ entries }) => {
  if (entries.includes('pom.xml')) {
    const wrapper = entries.includes('mvnw');
    const build = wrapper ? { build: 'mvnw' } : {};
    const step = { uses: 'junit/junit@v1', with: { datasource: '.', ...build } };
    const programs = [wrapper ? 'java' : 'mvn'];
    return [plain('junit', 'JUnit with Maven, by pom.xml', programs, step)];
  }
  const build = ['build.gradle.kts', 'build.gradle'].find((file) => entries.includes(file));
  if (build === undefined) return [];
  const wrapper = entries.includes('gradlew');
  const programs = wrapper ? ['java'] : ['gradle'];
  const step = { uses: 'junit/gradletest@v1', with: { wrapper } };
  return [plain('junit', `JUnit with Gradle, by ${build}`, programs, step)];
};

export const findGo: Detector = ({ entries }) =>
  entries.includes('go.mod')
    ? [plain('go', 'Go, by go.mod', ['go'], { uses: 'go/test@v1', with: {} })]
    : [];

export const findRust: Detector = ({ entries }) =>
  entries.includes('Cargo.toml')
    ? [
        plain('cargo', 'Cargo, by Cargo.toml', ['cargo', 'cargo-nextest'], {
          uses: 'cargo/test@v1',
          with: {},
        }),
      ]
    : [];

export const findDotnet: Detector = ({ entries }) => {
  const project = entries.find((name) => /\.(?:slnx?|(?:cs|fs|vb)proj)$/.test(name));
  if (project === undefined) return [];
  const step = { uses: 'dotnet/test@v1', with: { project } };
  return [plain('dotnet', `.NET, by ${project}`, ['dotnet'], step)];
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
  return { job, title, programs, preparations: [], step, notes: [] };
}
