import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { readsOriginals } from '../../../shared/disclosure/originals.js';
import { referencesTo } from '../../../shared/graph/edges/references.js';
import { mapPage, type Page } from '../../../shared/pagination/cursor.js';
import { listQueryOf } from '../../../shared/records/list-query.js';
import { showing } from '../../../shared/records/shown.js';
import { allowedActions } from '../../../shared/state-machine/state-machine.js';
import { type ApplyDeps, applyRedaction } from './apply-redaction.js';
import {
  discardRedaction,
  draftRedaction,
  getRedaction,
  listRedactions,
  namedRedactions,
  updateRedaction,
} from './change-redaction.js';
import { REDACTION_MACHINE } from './domain.js';
import type { RedactionStore, StoredRedaction } from './ports.js';
import {
  Redaction,
  RedactionDraft,
  RedactionFilter,
  RedactionPage,
  RedactionPatch,
  RedactionReview,
} from './schema.js';

const REDACTION_ID = { description: 'The redaction.' };

type ShownRow = Omit<StoredRedaction, 'terms' | 'original_sha256'> & Pick<Redaction, 'terms' | 'original_sha256'>;

const shownRow = showing(Redaction, ({ status }: ShownRow) => ({
  allowed_actions: allowedActions(REDACTION_MACHINE, status),
}));

/** Readers see the hidden terms of a draft; afterwards only with access to the original. */
function shown({ principal }: RequestContext, redaction: StoredRedaction): Redaction {
  const { terms, original_sha256, ...rest } = redaction;
  const isUnredacted = readsOriginals(principal);
  return shownRow({
    ...rest,
    ...(rest.status === 'DRAFT' || isUnredacted ? { terms: [...terms] } : {}),
    ...(original_sha256 !== null && isUnredacted ? { original_sha256 } : {}),
  });
}

/** Resolves references to redactions under the scope of `redaction`. */
export const redactionReferences = (deps: { readonly redactions: RedactionStore }) =>
  referencesTo('redaction_id', 'redaction', async (context, ids) =>
    (await namedRedactions(deps, context, ids)).map((one) => shown(context, one)),
  );

@Resolver()
export class RedactionResolver {
  readonly #deps: ApplyDeps;

  constructor(deps: ApplyDeps) {
    this.#deps = deps;
  }

  @Query(() => RedactionPage, { description: 'Lists the redactions of the tenant.' })
  async redactions(
    @Args(() => RedactionFilter) filter: RedactionFilter,
    @Ctx() context: RequestContext,
  ): Promise<Page<Redaction>> {
    const { where, ...window } = listQueryOf(filter);
    const { subject_kind: kind, subject_id: id, ...equal } = where;
    const page = await listRedactions(this.#deps, context, { ...window, where: equal }, { kind, id });
    return mapPage(page, (item) => shown(context, item));
  }

  @Query(() => Redaction, { nullable: true, description: 'Returns a redaction.' })
  async redaction(
    @Arg('redaction_id', () => String, REDACTION_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Redaction | null> {
    const found = await getRedaction(this.#deps, context, id);
    return found === null ? null : shown(context, found);
  }

  @Mutation(() => Redaction, { description: 'Drafts a redaction, which hides nothing yet.' })
  async draftRedaction(
    @Arg('input', () => RedactionDraft) input: RedactionDraft,
    @Ctx() context: RequestContext,
  ): Promise<Redaction> {
    const subject = { kind: input.subject.kind, id: input.subject.id };
    return shown(context, await draftRedaction(this.#deps, context, subject, RedactionDraft.complete(input)));
  }

  @Mutation(() => Redaction, { description: 'Changes a draft.' })
  async updateRedaction(
    @Arg('redaction_id', () => String, REDACTION_ID) id: string,
    @Arg('input', () => RedactionPatch) input: RedactionPatch,
    @Ctx() context: RequestContext,
  ): Promise<Redaction> {
    const patch = { members: RedactionPatch.given(input), revision: input.revision };
    return shown(context, await updateRedaction(this.#deps, context, id, patch));
  }

  @Mutation(() => Redaction, { description: 'Discards a draft, which stays as a record.' })
  async discardRedaction(
    @Arg('redaction_id', () => String, REDACTION_ID) id: string,
    @Ctx() context: RequestContext,
  ): Promise<Redaction> {
    return shown(context, await discardRedaction(this.#deps, context, id));
  }

  @Mutation(() => Redaction, { description: 'Applies a redaction: readers get the rendition from now on; final.' })
  async applyRedaction(
    @Arg('redaction_id', () => String, REDACTION_ID) id: string,
    @Arg('input', () => RedactionReview, { nullable: true, description: 'What the reviewer has read.' })
    input: RedactionReview | null,
    @Ctx() context: RequestContext,
  ): Promise<Redaction> {
    return shown(context, await applyRedaction(this.#deps, context, id, input?.revision));
  }
}
