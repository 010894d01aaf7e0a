import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { IN_FLIGHT } from './settings.js';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const KEY = Buffer.alloc(32, 7);

/** Signs the body by both conventions and posts it, 64 at a time: the minimum of a delivery. @returns deliveries per second */
export async function bareLoop(url: string, path: string, body: Buffer, count: number): Promise<number> {
  const pool = new Pool(url, { connections: IN_FLIGHT, pipelining: 1 });
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) {
      const id = `msg_${n}`;
      const timestamp = String(Math.floor(Date.now() / 1_000));
      const published = createHmac('sha256', SECRET).update(body).digest('hex');
      const standard = createHmac('sha256', KEY).update(`${id}.${timestamp}.`).update(body).digest('base64');
      const headers = {
        'content-type': 'application/json',
        'x-service-webhook-id': 'whk_bench',
        'x-service-signature': `v1=${published}`,
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': `v1,${standard}`,
      };
      const answer = await pool.request({ method: 'POST', path, headers, body });
      await answer.body.dump();
    }
  };
  const beganMs = performance.now();
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  const perSecond = count / ((performance.now() - beganMs) / 1_000);
  await pool.close();
  return perSecond;
}
