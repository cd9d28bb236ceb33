import type { WorkflowId } from '@tutti/manifests';
import { runSpanId } from '@tutti/workflow';
import { expect, test } from 'vitest';
import { traceOfStart } from './trace-of-start.ts';

const RUN = '01890a5d-ac96-774b-bcce-b302099a8057' as WorkflowId;
const OWN = `00-01890a5dac96774bbcceb302099a8057-${runSpanId(RUN)}-01`;
const SENDER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const UNSAMPLED = SENDER.replace(/01$/, '00');

test.each([
  ['without a trace anywhere there is nothing to continue', undefined, false, null, null],
  ['steps continue the trace of the sender', SENDER, false, SENDER, SENDER],
  ['steps continue the span of a run that is traced', undefined, true, null, OWN],
  [
    'a run that is traced is a span in the trace of the sender',
    SENDER,
    true,
    SENDER,
    `00-0af7651916cd43dd8448eb211c80319c-${runSpanId(RUN)}-01`,
  ],
  [
    'what the sender does not record, steps need not record',
    UNSAMPLED,
    true,
    UNSAMPLED,
    `00-0af7651916cd43dd8448eb211c80319c-${runSpanId(RUN)}-00`,
  ],
  ['a header that cannot be read is none', 'nonsense', true, null, OWN],
])('%s', (_, header, isTraced, parent, offered) => {
  expect(traceOfStart(header, RUN, isTraced)).toEqual({ parent, offered });
});
