import { isOrchestratorError } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { parseBucketPlace } from './bucket-place.ts';

const OWN = 'endpoint=https://objects.example.com';

test.each([
  ['s3://tests', { bucket: 'tests', prefix: '', endpoint: null, region: null, isPathStyle: false }],
  ['s3://tests/', { bucket: 'tests', prefix: '' }],
  ['s3://tests/team/main/', { bucket: 'tests', prefix: 'team/main/' }],
  ['s3://tests?region=eu-central-1', { region: 'eu-central-1', isPathStyle: false }],
  [`s3://tests?${OWN}`, { endpoint: 'https://objects.example.com', isPathStyle: true }],
  [`s3://tests?${OWN}&path-style=false`, { isPathStyle: false }],
  ['s3://tests?endpoint=http://[::1]:9000/', { endpoint: 'http://[::1]:9000' }],
  ['s3://a.b-c9', { bucket: 'a.b-c9' }],
])('%s is a place', (text, place) => {
  expect(parseBucketPlace(text)).toMatchObject(place);
});

test.each([
  ['s3://tests/', 's3://tests'],
  [`s3://tests/a/?path-style=true&${OWN}/`, `s3://tests/a?${OWN}`],
  [`s3://tests?region=a&${OWN}&path-style=false`, `s3://tests?${OWN}&region=a&path-style=false`],
])('%s is the same place as %s', (text, address) => {
  expect(parseBucketPlace(text).address).toBe(address);
});

test.each([
  ['', 'it is not an address like s3://'],
  ['tests', 'it is not an address like s3://'],
  ['https://tests', 'it is not an address like s3://'],
  ['s3:tests', 'its bucket is no name of a bucket'],
  ['s3://Tests_1', 'its bucket is no name of a bucket'],
  ['s3://tests:80', 'its bucket is no name of a bucket'],
  ['s3://tests/a b', 'its prefix may have'],
  ['s3://tests/a//b', 'its prefix may have'],
  ['s3://tests/a#b', 'its prefix may have'],
  ['s3://tests?endpoint=objects.example.com', 'its endpoint is no http or https address'],
  ['s3://tests?endpoint=https://a.b/?x=1', 'its endpoint is no http or https address'],
  ['s3://tests?region=', 'its region is no name of a region'],
  ['s3://tests?path-style=yes', 'its path-style is true or false'],
  ['s3://tests?region=a&region=b', 'once each, and not "region"'],
  ['s3://tests?regoin=a', 'once each, and not "regoin"'],
])('%j is none: %s', (text, why) => {
  expect(() => parseBucketPlace(text)).toThrow(
    `Not a valid configuration: blobs: ${why}`.slice(0, 33),
  );
  expect(() => parseBucketPlace(text)).toThrow(why);
});

test.each([
  's3://AKIA:hush@tests',
  's3://tests?secret=hush',
  's3://tests?aws_secret_access_key=hush',
  's3://tests?sessionToken=hush',
  's3://tests?endpoint=https://AKIA:hush@objects.example.com',
])('%s has a secret, which is not told, and the message says where it belongs', (text) => {
  const error = caught(() => parseBucketPlace(text));
  expect(isOrchestratorError(error) && error.message).toMatch(/credentials.*AWS_SECRET_ACCESS_KEY/);
  expect(String(error)).not.toContain('hush');
});

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
