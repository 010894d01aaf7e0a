import { Args, Ctx, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../../shared/auth/context.js';
import { fault, problem } from '../../../../shared/errors/problem.js';
import {
  claimKey,
  codeSystemPrefix,
  type EventKey,
  isKeyFault,
  keyOfQueryFilter,
} from '../../../../shared/event-keys/event-keys.js';
import type { EventQueryDeps } from '../reading-events.js';
import { Claim, ClaimArgs, Code, CodeArgs, Provider, ProviderArgs } from '../schema/keyed.js';
import { KeyedEvents } from './keyed-edges.js';

const NOWHERE = 'null if no event that the caller may read names it';

/** Entrances to what events name. Each is null unless an event that the caller may read names it. */
@Resolver()
export class NamedRootResolver {
  readonly #events: KeyedEvents;

  constructor(deps: EventQueryDeps) {
    this.#events = new KeyedEvents(deps);
  }

  @Query(() => Provider, { nullable: true, description: `A provider by NPI; ${NOWHERE}.` })
  async provider(
    @Ctx() context: RequestContext,
    @Args(() => ProviderArgs) { npi, ...args }: ProviderArgs,
  ): Promise<Provider | null> {
    const key = parsed('/npi', 'npi', npi);
    return (await this.#isNamed(context, args, key)) ? { npi: valueIn(key) } : null;
  }

  @Query(() => Claim, { nullable: true, description: `A claim by its number; ${NOWHERE}.` })
  async claim(
    @Ctx() context: RequestContext,
    @Args(() => ClaimArgs) { claim_id, ...args }: ClaimArgs,
  ): Promise<Claim | null> {
    const key = claimKey(claim_id);
    return (await this.#isNamed(context, args, key)) ? { claim_id: valueIn(key) } : null;
  }

  @Query(() => Code, { nullable: true, description: `A code of a reason, a procedure or a diagnosis; ${NOWHERE}.` })
  async code(
    @Ctx() context: RequestContext,
    @Args(() => CodeArgs) { system, value, ...args }: CodeArgs,
  ): Promise<Code | null> {
    const key = parsed('/value', system, value);
    const name = codeSystemPrefix(system)?.slice(0, -1) ?? system;
    return (await this.#isNamed(context, args, key)) ? { system: name, code: valueIn(key) } : null;
  }

  async #isNamed(context: RequestContext, { purpose }: { purpose?: string }, key: EventKey): Promise<boolean> {
    const asked = purpose === undefined ? {} : { purpose };
    return (await this.#events.with(context, asked, [key])).length > 0;
  }
}

const valueIn = (key: EventKey): string => key.slice(key.indexOf(':') + 1);

/** @throws VALIDATION_ERROR */
function parsed(pointer: string, name: string, value: string): EventKey {
  const key = keyOfQueryFilter(name, value);
  if (!isKeyFault(key)) return key;
  throw problem('VALIDATION_ERROR', { errors: [fault(pointer, key.code, key.message)] });
}
