import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { withoutNulls } from '../../../shared/graph/without-nulls.js';
import type { PersonRecord } from '../matching/domain/index.js';
import { NOTHING_KNOWN, personOf } from '../members/domain/index.js';
import { givenPerson, shownMember } from '../members/index.js';
import { MemberMatchArgs, MemberMatches, MemberSearchArgs } from './schema.js';
import { type FoundMember, matchMember, type SearchDeps, searchMembers } from './search-members.js';

const DEFAULT_LIMIT = 20;

@Resolver()
export class MatchResolver {
  readonly #deps: SearchDeps;

  constructor(deps: SearchDeps) {
    this.#deps = deps;
  }

  @Query(() => MemberMatches, { description: 'Searches members by typed text, the likeliest first.' })
  async searchMembers(
    @Args(() => MemberSearchArgs) args: MemberSearchArgs,
    @Ctx() context: RequestContext,
  ): Promise<MemberMatches> {
    const { q = '', identifier = '', limit = DEFAULT_LIMIT, ...parts } = withoutNulls(args);
    const search = { q, identifier, limit, parts: partsOf(parts) };
    return { items: (await searchMembers(this.#deps, context, search)).map(shownMatch) };
  }

  @Query(() => MemberMatches, { description: 'Finds the members that a record may belong to, the likeliest first.' })
  async matchMember(
    @Args(() => MemberMatchArgs) { record, limit }: MemberMatchArgs,
    @Ctx() context: RequestContext,
  ): Promise<MemberMatches> {
    const person = personOf({ ...NOTHING_KNOWN, ...givenPerson(record) });
    return { items: (await matchMember(this.#deps, context, person, limit ?? DEFAULT_LIMIT)).map(shownMatch) };
  }
}

type Parts = { readonly [K in 'family' | 'given' | 'birth_date' | 'phone' | 'email' | 'postal_code']?: string };

const partsOf = ({ family, given, birth_date, phone, email, postal_code }: Parts): PersonRecord => ({
  ...(family === undefined ? {} : { family }),
  ...(given === undefined ? {} : { given: given.split(/\s+/).filter((name) => name !== '') }),
  ...(birth_date === undefined ? {} : { birthDate: birth_date }),
  ...(phone === undefined ? {} : { phones: [phone] }),
  ...(email === undefined ? {} : { emails: [email] }),
  ...(postal_code === undefined ? {} : { addresses: [{ postalCode: postal_code }] }),
});

/** Rounds bits to two decimals. */
const bits = (weight: number): number => Math.round(weight * 100) / 100;

const shownMatch = ({ found, matchedId, score, match, caution }: FoundMember) => ({
  member: shownMember(found),
  matched_member_id: matchedId,
  score: bits(score.weight),
  match,
  ...(caution === null ? {} : { caution }),
  contributions: score.contributions.map(({ field, level, weight }) => ({ field, level, weight: bits(weight) })),
});
