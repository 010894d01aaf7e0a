// The image's health check: ready to be sent work, whatever the role.
import { env, exit } from 'node:process';

const url = `http://127.0.0.1:${env.PORT || 8080}/v1/healthz/ready`;
fetch(url, { signal: AbortSignal.timeout(4_000) }).then(
  (answer) => exit(answer.ok ? 0 : 1),
  () => exit(1),
);
