/** The thread that reads large documents of requests, and checks them. */
import { REDACT_EVENT } from './bus/redaction.ts';
import { PARSE_JSON } from './http/json-tasks.ts';
import { READ_POST } from './plugins/agentchannel/posts/post-tasks.ts';
import { READ_INSIGHTS } from './plugins/insightcollector/insight-tasks.ts';
import { READ_GATES } from './plugins/qualitygate/gate-tasks.ts';
import { answerTasks } from './runtime/answer-tasks.ts';
import { CHECK_JOBS, READ_PUBLICATION } from './services/eventbus/publication-tasks.ts';
import { CHECK_CALLED_FILES, READ_WORKFLOW } from './services/receptionist/workflow-tasks.ts';

answerTasks([
  CHECK_CALLED_FILES,
  CHECK_JOBS,
  PARSE_JSON,
  READ_GATES,
  READ_INSIGHTS,
  READ_POST,
  READ_PUBLICATION,
  READ_WORKFLOW,
  REDACT_EVENT,
]);
