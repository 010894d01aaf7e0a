import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../support/http.js';
import { allQuestions, type DisclosureKit, disclosureKit } from './kit.js';
import type { Question } from './rest-questions.js';
import { type DisclosedWorld, PURPOSE } from './world.js';

let kit: DisclosureKit;
let world: DisclosedWorld;

beforeAll(async () => {
  kit = await disclosureKit();
  world = await kit.world();
}, 300_000);

afterAll(() => kit.stop());

/** Questions of a token: a key's header would name another caller. */
async function askedBy(token: string, questions: readonly Question[]): Promise<readonly [Question, number, string][]> {
  const heard: [Question, number, string][] = [];
  for (const question of questions) {
    const { path, method = 'GET', body, headers = {} } = question;
    const json = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await fetch(`${world.clerk.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...json, ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    heard.push([question, answer.status, await answer.text()]);
  }
  return heard;
}

const withWord = (heard: readonly [Question, number, string][]): readonly Question[] =>
  heard.filter(([, , text]) => text.includes(world.marker)).map(([question]) => question);

async function sessionOf(member_id: string): Promise<{ readonly token: string; readonly end: () => Promise<Answer> }> {
  const { clerk } = world;
  const { challenge_id, code } = (await clerk.post('/v1/member-auth/start', { member_id })).json;
  const token = (await clerk.post('/v1/member-auth/verify', { challenge_id, code })).json.access_token as string;
  return { token, end: () => clerk.post('/v1/member-auth/logout', { token }) };
}

async function grantTo(requested_by: string): Promise<{ readonly token: string; readonly end: () => Promise<Answer> }> {
  const { clerk, member: member_id } = world;
  const asked = await clerk.post('/v1/ava-access/request', { member_id, purpose: PURPOSE, requested_by });
  const { request_id, code } = asked.json;
  const token = (await clerk.post('/v1/ava-access/verify', { request_id, code })).json.access_token as string;
  return { token, end: () => clerk.post(`/v1/ava-access/${request_id}/revoke`, {}) };
}

describe('a token of member access', () => {
  it.each([
    ['of the member', () => sessionOf(world.member), 'a logout'],
    ['of a person who acts for the member', () => grantTo('Advocate'), 'a revocation'],
  ])('%s discloses nothing after %s', async (_who, open) => {
    const { token, end } = await open();
    const questions = allQuestions(world);
    const disclosed = withWord(await askedBy(token, questions));
    const routes = new Set(disclosed.map(({ name }) => name.split(' ')[1]));
    expect([...routes].sort()).toEqual([
      '/v1/advocacy/explain/{event_id}',
      '/v1/documents',
      '/v1/documents/{id}',
      '/v1/documents/{id}/metadata',
      '/v1/events',
      '/v1/events/{id}',
      '/v1/members/{id}/timeline',
    ]);
    expect((await end()).status).toBe(200);
    const after = await askedBy(token, disclosed);
    expect([...new Set(after.map(([, status]) => status))]).toEqual([401]);
    expect(withWord(after)).toEqual([]);
  });

  it('of a merged member reads the other records no more after the unmerge', async () => {
    const { clerk, member } = world;
    await clerk.post('/v1/members', { member_id: 'M-2', name: { family: 'Sample', given: ['Avery'] } });
    expect((await clerk.post('/v1/members/M-2/merge', { source_member_id: member })).status).toBe(200);
    const { token } = await sessionOf('M-2');
    const questions = allQuestions(world);
    const disclosed = withWord(await askedBy(token, questions));
    expect(disclosed.length).toBeGreaterThan(5);
    expect((await clerk.post('/v1/members/M-2/unmerge', { source_member_id: member })).status).toBe(200);
    expect(withWord(await askedBy(token, disclosed)).map(({ name }) => name)).toEqual([]);
  });
});
