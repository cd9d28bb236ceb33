/** A server with its files in a bucket. The bucket is a real S3 server, which checks signatures and may go away. */
import { createHash } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSelfSigned } from '../../server/src/bus/self-signed.fixture.ts';
import { bodyOf } from '../support/api.ts';
import { exchange, formWithFile, GIB, MIB, open, postForm } from '../support/big-content.ts';
import { eventually } from '../support/eventually.ts';
import { registerExisting } from '../support/existing-agent.ts';
import { peakMemory } from '../support/process-facts.ts';
import {
  attachmentOf,
  datasource,
  ended,
  logOf,
  oneJob,
  sh,
  start,
  startedId,
} from '../support/runs.ts';
import {
  describeWithS3,
  installS3Server,
  S3_ENVIRONMENT,
  S3Server,
  SECRET_KEY,
} from '../support/s3-server.ts';
import { testPostgres } from '../support/test-databases.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { runCli } from './cli-process.ts';

/** Three parts, garbage of chunks, and what a bucket's client needs. */
const GROWTH_MAX = 192 * MIB;
const REPORT = '<testsuite tests="1"><testcase classname="a" name="b" time="1"/></testsuite>';

let bench: Workbench;
let s3: S3Server;
let server: ServerChild;
let blobs: string;

describeWithS3(await installS3Server(), 'a server with a bucket', (program) => {
  beforeAll(async () => {
    bench = await Workbench.open();
    s3 = await S3Server.start(program);
    await s3.createBucket('files');
    blobs = s3.urlOf('files/team/main');
    server = await bench.server(settings());
    await bench.agent(server, { tags: ['linux'], name: 'shell' });
  });
  afterAll(async () => {
    await bench?.close();
    await s3?.remove();
  });
  describeFiles();
  describeRefusals(program);
});

const settings = (more = {}) => ({
  config: { blobs, ...more },
  environment: S3_ENVIRONMENT,
  nodeOptions: ['--max-old-space-size=256'],
});

const MANIFEST = JSON.stringify({
  metadata: { name: 'with a file' },
  resources: { files: ['data'] },
  jobs: {
    main: {
      'runs-on': 'linux',
      steps: [
        { uses: 'actions/put-file@v1', with: { file: 'data', path: 'data' } },
        { run: 'wc -c data; rm data' },
      ],
    },
  },
});

const post = (size: number) => postForm(server, formWithFile(MANIFEST, 'data', size));

const attaching = (content: string, name = 'small.txt') =>
  sh(`printf '%s' '${content}' > ${name}; echo "::attach::$PWD/${name}"`);

function describeFiles() {
  test('keeps all files there, and reads them there', async () => {
    const withFile = startedId(await post(3_000));
    expect(await ended(server, withFile)).toBe('DONE');
    expect(await logOf(server, withFile)).toContain('3000 data');
    const up = sh('echo up > up; echo "::upload::$PWD/up"; rm -f none');
    const steps = [
      attaching('0123456789'),
      up,
      sh('rm -f up; echo "::download file=up::copy"'),
      sh('cat copy'),
      sh(
        `echo '${REPORT}' > r.xml; echo "::attach type=application/vnd.opentestfactory.junit-surefire+xml::$PWD/r.xml"`,
      ),
    ];
    const id = await start(server, oneJob('files', steps));
    expect(await ended(server, id)).toBe('DONE');
    const path = await attachmentOf(server, id);
    expect((await server.call('GET', path)).text).toBe('0123456789');
    const part = await server.call('GET', path, { headers: { range: 'bytes=3-5' } });
    expect([part.code, part.text]).toEqual([206, '345']);
    await datasource(server, id, 'testcases', { count: 1 });
    expect(existsSync(join(server.dataDir, 'blobs'))).toBe(false);
    expect((await s3.filesOf('files')).length).toBeGreaterThanOrEqual(4);
  });

  test('loses no step while the bucket is away, and refuses files with a time to try again', async () => {
    const before = await start(server, oneJob('before', [attaching('kept')]));
    expect(await ended(server, before)).toBe('DONE');
    const kept = await attachmentOf(server, before);
    const existing = await registerExisting(server, ['linux', 'existing'], {
      metadata: { version: '2.5.0', namespaces: '*' },
    });
    const held = await start(server, oneJob('held', [sh('attach')], { 'runs-on': 'existing' }));
    await existing.work();
    const stdout = ['::attach::/tmp/some.bin'];
    await existing.post({ stdout, stderr: [], exit_status: 0, variables: null });
    const { file_id: fileId } = await existing.work();

    await s3.kill();
    const steps = [
      attaching('late'),
      sh('echo up > up; echo "::upload::$PWD/up"; rm -f none'),
      sh('echo "::download file=up::copy"'),
      sh('cat copy'),
      sh(
        `echo '${REPORT}' > r.xml; echo "::attach type=application/vnd.opentestfactory.junit-surefire+xml::$PWD/r.xml"`,
      ),
    ];
    const during = await start(server, oneJob('during', steps));
    const sending = existing.sendFile(fileId, 'held');
    const plain = await start(
      server,
      oneJob('plain', [sh('echo no file')], { 'runs-on': 'plain' }),
    );
    await bench.agent(server, { tags: ['plain'], name: 'plain' });
    expect(await ended(server, plain)).toBe('DONE');
    const refused = await server.call('GET', kept);
    expect(bodyOf(refused)).toMatchObject({
      code: 503,
      reason: 'ServiceUnavailable',
      message: expect.stringContaining('The bucket with the files of runs is not available'),
    });
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(bodyOf(await post(20 * MIB))).toMatchObject({ code: 503 });
    await eventually('a refusal for the agent', async () => {
      const { text } = await server.call('GET', '/metrics');
      return /route="\/agents\/\{agent_id\}\/files\/\{file_id\}",code="503"/.test(text);
    });

    await s3.start();
    expect((await sending).code).toBe(200);
    await existing.work();
    await existing.post({ stdout: [], stderr: [], exit_status: 0 });
    expect(await ended(server, held)).toBe('DONE');
    expect(await ended(server, during)).toBe('DONE');
    expect(await logOf(server, during)).not.toContain('ERROR');
    expect((await server.call('GET', await attachmentOf(server, during))).text).toBe('late');
    expect((await server.call('GET', await attachmentOf(server, held))).text).toBe('held');
    await datasource(server, during, 'testcases', { count: 1 });
    expect(server.child.stderr).toContain('ECONNREFUSED');
    expect(server.child.stderr).not.toContain(SECRET_KEY);
  }, 120_000);

  test('removes the files of a run with it', async () => {
    const others = (await s3.filesOf('files')).length;
    const id = await start(server, oneJob('gone', [attaching('gone', 'gone.txt')]));
    expect(await ended(server, id)).toBe('DONE');
    expect(await s3.filesOf('files')).toHaveLength(others + 1);
    const forget = () => server.call('DELETE', `/workflows/${id}/history`);
    await eventually('the end of its workers', async () => (await forget()).code === 200);
    expect(await s3.filesOf('files')).toHaveLength(others);
  });

  // PostgreSQL has backups of its own.
  if (testPostgres() === null) {
    test('is examined, saved and restored without the files, and told so', async () => {
      const { dataDir } = server;
      const cli = (args: readonly string[], env = S3_ENVIRONMENT) =>
        runCli(args, { cwd: bench.folder, env });
      const doctor = ['doctor', '--data-dir', dataDir];
      const well = await cli(doctor);
      expect(well.stdout).toContain(`ok      files of runs are in ${blobs}`);
      expect(well.stdout).toContain(`Not checked: files are in ${blobs}.`);
      expect(well.stdout).not.toContain('is missing');
      const ill = await cli(doctor, { ...S3_ENVIRONMENT, AWS_SECRET_ACCESS_KEY: 'another' });
      expect([ill.code, ill.stdout]).toEqual([
        1,
        expect.stringContaining('WRONG   The bucket of s3://'),
      ]);
      const named = await cli(['doctor', '--blobs', s3.urlOf('missing')]);
      expect(named.stdout).toContain('there is no bucket "missing"');
      const backup = join(bench.folder, 'backup');
      const saved = await cli(['backup', '--data-dir', dataDir, '--output', backup]);
      expect(saved.stdout).toContain(`Files of runs are not in it, but in ${blobs}`);
      const restored = join(bench.folder, 'restored');
      const back = await cli(['restore', backup, '--data-dir', restored]);
      expect(back.stdout).toContain(`the server takes them from ${blobs} (--blobs).`);
      const again = await bench.server({ ...settings(), dataDir: restored });
      expect((await again.call('GET', '/health')).text).toBe('OK');
    });
  }

  describe('takes a file of a GiB', { timeout: 240_000 }, () => {
    test('from an agent, and gives it, with little memory', async () => {
      const before = peakMemory(server.child.pid);
      const make = `truncate -s 1G big; printf end >> big; echo "::attach::$PWD/big"`;
      const attached = await start(server, oneJob('attaches', [sh(make)]));
      expect(await ended(server, attached, { withinMs: 120_000 })).toBe('DONE');
      const path = await attachmentOf(server, attached);
      const hash = createHash('sha256');
      let size = 0;
      for await (const chunk of await exchange(open(server, 'GET', path))) {
        size += chunk.length;
        hash.update(chunk);
      }
      expect(size).toBe(GIB + 3);
      expect(peakMemory(server.child.pid) - before).toBeLessThan(GROWTH_MAX);
    });
  });
}

function describeRefusals(program: string) {
  describe('does not start', () => {
    async function refusalOf(
      config: object,
      environment = S3_ENVIRONMENT,
      dataDir = bench.path('s'),
    ) {
      const { child } = bench.launchServer({ config: { ...config }, environment, dataDir });
      await child.whenGone;
      expect(child.stderr).not.toContain(SECRET_KEY);
      return child.stderr;
    }

    test('where nobody answers at the address of its bucket', async () => {
      const config = { blobs: 's3://files?endpoint=http://127.0.0.1:9' };
      expect(await refusalOf(config)).toContain('Check the address, and whether its service runs.');
    });

    test('with a wrong secret', async () => {
      const environment = { ...S3_ENVIRONMENT, AWS_SECRET_ACCESS_KEY: 'another' };
      expect(await refusalOf({ blobs }, environment)).toContain('refuses the credentials');
    });

    test('without its bucket', async () => {
      const config = { blobs: s3.urlOf('missing') };
      expect(await refusalOf(config)).toContain('there is no bucket "missing". Create it');
    });

    test('with a secret in the address', async () => {
      const config = { blobs: `s3://key:${SECRET_KEY}@files/main` };
      expect(await refusalOf(config)).toContain('an address may not have credentials');
    });

    test('without the bucket that has its files, or with another one', async () => {
      const dataDir = bench.path('recorded');
      const first = await bench.server({ ...settings(), dataDir });
      await first.child.kill('SIGTERM');
      expect(await refusalOf({}, S3_ENVIRONMENT, dataDir)).toContain(
        'Start the server with --blobs',
      );
      await s3.createBucket('others');
      const others = { blobs: s3.urlOf('others') };
      expect(await refusalOf(others, S3_ENVIRONMENT, dataDir)).toContain(
        'and blobs names s3://others',
      );
    });

    test('with a bucket while files are in its data directory', async () => {
      const dataDir = bench.path('with-files');
      await mkdir(join(dataDir, 'blobs/run'), { recursive: true });
      await writeFile(join(dataDir, 'blobs/run/file'), 'content');
      expect(await refusalOf({ blobs }, S3_ENVIRONMENT, dataDir)).toContain(
        'Copy that folder into',
      );
    });
  });

  test('a bucket with TLS needs an authority that is known', async () => {
    const { cert, key } = createSelfSigned();
    const files = { cert: join(bench.folder, 'cert.pem'), key: join(bench.folder, 'key.pem') };
    writeFileSync(files.cert, cert);
    writeFileSync(files.key, key);
    const secure = await S3Server.start(program, {
      tls: files,
    });
    try {
      const config = { blobs: secure.urlOf('files') };
      const { child } = bench.launchServer({ config, environment: S3_ENVIRONMENT });
      await child.whenGone;
      expect(child.stderr).toContain('set NODE_EXTRA_CA_CERTS');
      const environment = { ...S3_ENVIRONMENT, NODE_EXTRA_CA_CERTS: files.cert };
      const without = bench.launchServer({ config, environment });
      await without.child.whenGone;
      // It speaks to the server, which has no such bucket.
      expect(without.child.stderr).toContain('there is no bucket');
    } finally {
      await secure.remove();
    }
  });
}
