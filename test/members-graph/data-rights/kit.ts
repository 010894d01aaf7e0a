import type { Db } from 'mongodb';
import { eventually } from '../../support/eventually.js';
import { type Answer, freshTenant, type Http } from '../../support/http.js';

export const RIGHTS = '/v1/data-rights';
const DAY_MS = 86_400_000;

export const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

/** What a tenant's handler of requests does. */
export class Desk {
  readonly tenantId: string;
  readonly http: Http;

  private constructor(tenantId: string, http: Http) {
    this.tenantId = tenantId;
    this.http = http;
  }

  static async fresh(operator: Http): Promise<Desk> {
    const { tenantId, http } = await freshTenant(operator, ['admin']);
    return new Desk(tenantId, http);
  }

  // biome-ignore lint/suspicious/noExplicitAny: the test checks the shape of the answer.
  async made(path: string, body: unknown): Promise<any> {
    const answer = await this.http.post(path, body);
    if (answer.status >= 300) throw new Error(`not made: ${path} ${answer.text}`);
    return answer.json;
  }

  receive(member_id: string, right: string, over: object = {}): Promise<Answer> {
    return this.http.post(RIGHTS, { member_id, right, ...over });
  }

  step(id: string, action: string, body: object = {}, headers: Record<string, string> = {}): Promise<Answer> {
    return this.http.post(`${RIGHTS}/${id}/${action}`, body, headers);
  }

  /** Creates a verified request. @returns its id */
  async verified(member_id: string, right: string, over: object = {}): Promise<string> {
    const { data_right_id: id } = await this.made(RIGHTS, { member_id, right, ...over });
    await this.made(`${RIGHTS}/${id}/verify`, { how: 'Photo identification.' });
    return id;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the test checks the shape of the answer.
  async read(id: string): Promise<any> {
    return (await this.http.get(`${RIGHTS}/${id}`)).json;
  }

  /** Types of the entries that a request has left in the ledger; fails where one of them says anything of a person. */
  async told(id: string, personal: readonly string[]): Promise<readonly string[]> {
    const path = '/v1/events?source_system=_records&event_family=data-right&order=asc&limit=500';
    const { items } = (await this.http.get(path)).json;
    // biome-ignore lint/suspicious/noExplicitAny: rows of an answer.
    const own = items.filter((item: any) => item.payload.data_right_id === id);
    const text = JSON.stringify(own);
    for (const word of personal) if (text.includes(word)) throw new Error(`an entry says ${word}: ${text}`);
    return own.map((item: { event_type: string }) => item.event_type);
  }
}

/**
 * Polls until the result is there. Triggers the job repeatedly, since a run that ends at the same moment would reset its time.
 */
export const rung = <T>(db: Db, look: () => Promise<T>, isThere: (seen: T) => boolean): Promise<T> =>
  eventually(async () => {
    const seen = await look();
    if (isThere(seen)) return seen;
    await db.collection('alarms').updateOne({ name: 'data-rights.clock' }, { $set: { nextRunAt: new Date(0) } });
    return seen;
  }, isThere);
