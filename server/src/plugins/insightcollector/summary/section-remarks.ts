/** Warnings about entries of sections that existing servers accept, and that show nothing or not what the author may expect. */
import type { SectionDefinition } from '@tutti/manifests';
import { unknownField, unknownInCondition } from './known-fields.ts';
import { fieldsOf } from './section-fields.ts';

/** A warning about a well-formed section. */
export interface Remark {
  readonly path: readonly string[];
  readonly message: string;
}

export function sectionRemarks(section: SectionDefinition): readonly Remark[] {
  const { datasource = 'testcases' } = section;
  const ofFields = fieldsOf(section).flatMap(({ path, text }) => {
    const message = unknownField(text, datasource);
    return message === null ? [] : [{ path, message }];
  });
  return [
    ...conditionRemarks(section.if),
    ...ofFields,
    ...orderRemarks(section),
    ...countRemarks(section),
    ...axisRemarks('primaryAxis', section.primaryAxis),
    ...axisRemarks('secondaryAxis', section.secondaryAxis),
  ];
}

/** Warns about the `if` of a section or of an insight. An unknown name is null, so the condition holds never, or always. */
export function conditionRemarks(condition = ''): readonly Remark[] {
  const message = unknownInCondition(condition);
  return message === null ? [] : [{ path: ['if'], message }];
}

function axisRemarks(name: string, axis: SectionDefinition['secondaryAxis']): readonly Remark[] {
  const { min, max } = axis ?? {};
  if (min === undefined || max === undefined || min < max) return [];
  return [{ path: [name, 'max'], message: `must be greater than min, ${min}, not ${max}` }];
}

function orderRemarks({ orderBy }: SectionDefinition): readonly Remark[] {
  const { order } = orderBy ?? {};
  if (order === undefined || /^(?:asc|desc)/i.test(order)) return [];
  const message = `must be "ascending" or "descending", not "${order}", which counts as ascending`;
  return [{ path: ['orderBy', 'order'], message }];
}

function countRemarks({ maxItems }: SectionDefinition): readonly Remark[] {
  if (maxItems === undefined || (Number.isInteger(maxItems) && maxItems > 0)) return [];
  const shown = Math.max(0, Math.floor(maxItems));
  const message = `must be a whole number from 1, not ${maxItems}, which counts as ${shown}`;
  return [{ path: ['maxItems'], message }];
}
