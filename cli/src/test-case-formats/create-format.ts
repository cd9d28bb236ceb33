import { readOutput } from '../resources/output.ts';
import {
  type FormatContext,
  REPORT_FORMS,
  type TestCaseFormat,
  type TestCaseFormatName,
} from './test-case-format.ts';

/** `name` is the value of `-o`. Each format is loaded on use. */
export async function createTestCaseFormat(
  name: string,
  context: FormatContext,
): Promise<TestCaseFormat> {
  const form = REPORT_FORMS.find((each) => each === name) ?? readOutput(name);
  if (typeof form === 'string' || form.kind !== 'custom-columns') {
    return await knownFormat(typeof form === 'string' ? form : form.kind, context);
  }
  return (await import('./path-format.ts')).createPathFormat(form.columns);
}

async function knownFormat(
  name: TestCaseFormatName,
  context: FormatContext,
): Promise<TestCaseFormat> {
  switch (name) {
    case 'name':
      return (await import('./path-format.ts')).createNameFormat();
    case 'table':
    case 'wide':
      if (context.isOne) return (await import('./detail-format.ts')).createDetailFormat(context);
      return (await import('./table-format.ts')).createTableFormat(
        name === 'wide',
        context.showsFailures,
      );
    case 'json':
      return (await import('./document-format.ts')).createJsonFormat();
    case 'yaml':
      return await (await import('./document-format.ts')).createYamlFormat();
    case 'junit':
      return (await import('./junit-format.ts')).createJunitFormat(context);
    case 'ctrf':
      return (await import('./ctrf-format.ts')).createCtrfFormat(context);
  }
}
