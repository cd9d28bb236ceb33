import { parseAttachmentId } from '@tutti/manifests';
import { expect, test } from 'vitest';
import { contentDisposition } from './content-disposition.ts';

const ID = '0198c0de-0000-7000-8000-000000000001';

/** An existing client finds the file name like this (clients facts 3.9). */
function nameSeenByClient(header: string): string {
  const name = header.slice(header.indexOf('name=') + 'name='.length);
  return name.startsWith(ID) ? name.slice(ID.length + 1) : 'untitled';
}

test.each([
  ['report.html', `attachment; filename=${ID}_report.html`, 'report.html'],
  [
    'my report.html',
    `attachment; filename*=UTF-8''${ID}_my%20report.html; filename=${ID}_my_report.html`,
    'my_report.html',
  ],
  [
    'Prüfung (1).xml',
    `attachment; filename*=UTF-8''${ID}_Pr%C3%BCfung%20%281%29.xml; filename=${ID}_Pr_fung__1_.xml`,
    'Pr_fung__1_.xml',
  ],
  [
    'a";\r\nx=1',
    `attachment; filename*=UTF-8''${ID}_a%22%3B%0D%0Ax%3D1; filename=${ID}_a____x_1`,
    'a____x_1',
  ],
  ['\ud800', `attachment; filename*=UTF-8''${ID}_%EF%BF%BD; filename=${ID}__`, '_'],
])('%j', (name, header, seen) => {
  expect(contentDisposition(parseAttachmentId(ID), name)).toBe(header);
  expect(nameSeenByClient(header)).toBe(seen);
});
