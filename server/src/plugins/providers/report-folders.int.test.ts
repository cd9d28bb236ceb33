/** Folders that functions attach as one archive, packed by the shell and the tar of this machine. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { REPORT_FOLDER_LIMITS } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { providerOfText } from './provider-document.ts';
import { callProvider, inTemporaryDirectory, runSteps } from './provider-scripts.fixture.ts';

const described = (script: string, optional: boolean) => `apiVersion: tutti/v1
kind: Provider
metadata: {name: shop}
functions:
  - name: shop/smoke@v1
    description: Smoke tests.
    inputs: {folder: {description: Its folder., default: out}}
    steps: [{run: ${JSON.stringify(script)}}]
    attach: [{path: '\${{ inputs.folder }}/', optional: ${optional}}]
`;

interface Packed {
  readonly output: string;
  readonly exitCode: number;
  /** The names of the archive in their order, without the list; null without an archive. */
  readonly names: readonly string[] | null;
  /** The lines of the list. */
  readonly list: readonly string[];
}

async function pack(
  script: string,
  { folder = 'out', optional = false } = {},
  check: (packed: Packed, cwd: string) => void,
): Promise<void> {
  await inTemporaryDirectory(async (cwd) => {
    const { provider } = await providerOfText(described(script, optional));
    const steps = await callProvider(provider, 'shop/smoke@v1', { folder });
    const { output, exitCode } = await runSteps(steps, cwd);
    const archive = join(cwd, `${folder}.tar.gz`);
    if (!existsSync(archive)) return check({ output, exitCode, names: null, list: [] }, cwd);
    const tar = (...words: string[]) => execFileSync('tar', words, { encoding: 'utf8' });
    const [first, ...names] = tar('--quoting-style=literal', '-tzf', archive).trim().split('\n');
    expect(first).toBe('./.tutti-files');
    const list = tar('-xzOf', archive, './.tutti-files').trim().split('\n');
    check({ output, exitCode, names, list }, cwd);
  });
}

test('a folder is attached with all of its files, the smallest first', async () => {
  const script = `mkdir -p 'out/a b/-c'; printf 12345 > 'out/index.html'; printf 12 > "out/a b/-c/it's é.png"; printf 1 > out/-x; exit 3`;
  await pack(script, {}, ({ output, exitCode, names, list }, cwd) => {
    expect(exitCode).toBe(3);
    expect(output.trim()).toBe(
      `::attach type=application/vnd.tutti.report-folder+gzip::${cwd}/out.tar.gz`,
    );
    expect(names).toEqual(['./-x', "./a b/-c/it's é.png", './index.html']);
    expect(list).toEqual(names?.map((name) => `+ ${name}`));
  });
});

test('a folder whose name has signs of the shell is packed as well', async () => {
  const folder = "it's $(touch breach)";
  await pack(
    `mkdir -p "it's \\$(touch breach)"; echo 1 > "it's \\$(touch breach)/a"`,
    { folder },
    ({ names }, cwd) => {
      expect(names).toEqual(['./a']);
      expect(existsSync(join(cwd, 'breach'))).toBe(false);
    },
  );
});

test('links and names with line breaks are not packed', async () => {
  const script = `mkdir out; echo 1 > out/a; ln -s /etc/passwd out/link; ln -s /etc out/etc; echo 2 > $'out/b\\nc'`;
  await pack(script, {}, ({ names }) => expect(names).toEqual(['./a']));
});

// Bound: A report folder.
test('files beyond the limit are left out, the largest ones, and the log says so', async () => {
  const large = REPORT_FOLDER_LIMITS.bytes - 2;
  const script = `mkdir out; echo 1 > out/a; truncate -s ${large} out/video.webm; printf 12345 > out/b`;
  await pack(script, {}, ({ output, names, list }) => {
    expect(names).toEqual(['./a', './b']);
    expect(list.at(-1)).toBe('- ./video.webm');
    expect(output).toContain(
      '::warning::out/ has more than 512 MiB or 10000 files: its largest files are left out.\n::attach',
    );
  });
});

test.each([
  ['there is none', 'true'],
  ['it is empty', 'mkdir out'],
])('%s: the log says so unless it is optional, and nothing is attached', async (_what, script) => {
  await pack(script, {}, ({ output, names }) => {
    expect(output.trim()).toBe('::warning::There is no report out/ to attach.');
    expect(names).toBeNull();
  });
  await pack(script, { optional: true }, ({ output }) => expect(output.trim()).toBe(''));
});

test('what an earlier run left is not attached', async () => {
  await inTemporaryDirectory(async (cwd) => {
    const call = async (script: string) =>
      callProvider((await providerOfText(described(script, true))).provider, 'shop/smoke@v1', {});
    await runSteps(await call('mkdir out; echo 1 > out/a'), cwd);
    expect((await runSteps(await call('true'), cwd)).output.trim()).toBe('');
    expect(existsSync(join(cwd, 'out.tar.gz'))).toBe(false);
  });
});
