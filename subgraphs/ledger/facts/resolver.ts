import { Arg, Ctx, Directive, Mutation, Query, Resolver } from 'type-graphql';
import { authorise, type RequestContext } from '../../../shared/auth/context.js';
import { INTERNAL_SCOPE } from '../../../shared/auth/scopes.js';
import type { FactDraft, FactKind, FactSubject } from '../../../shared/facts/fact.js';
import type { FactAnswer, FactChanges, FactOutcome, FactQuestion } from '../../../shared/facts/facts.js';
import { JsonScalar, SafeInteger } from '../../../shared/graph/scalars.js';
import type { IngestDeps, TenantContexts } from '../append/index.js';
import { type DamageDeps, readerOf, reportingDamage } from '../integrity/index.js';
import type { ProvenEntries } from '../transparency/index.js';
import { appendFacts } from './append-facts.js';
import type { FactRowsByTenant } from './ports.js';
import { changedSubjects, factChanges, factRefs, factSubjects, readFacts, subjectsNaming } from './read-facts.js';

interface FactResolverDeps extends IngestDeps, DamageDeps {
  readonly contexts: TenantContexts;
  readonly factRows: FactRowsByTenant;
  readonly provenEntries: ProvenEntries;
}

/** Serves the owners of records: its fields are in no API schema, and their scope rejects every API key. */
@Resolver()
export class FactResolver {
  readonly #deps: FactResolverDeps;

  constructor(deps: FactResolverDeps) {
    this.#deps = deps;
  }

  @Directive('@inaccessible')
  @Mutation(() => JsonScalar, { description: 'Appends facts; returns the outcome of each (a list of FactOutcome).' })
  async appendFacts(
    @Ctx() context: RequestContext,
    @Arg('drafts', () => [JsonScalar], { description: 'The facts (FactDraft).' }) drafts: FactDraft[],
  ): Promise<readonly FactOutcome[]> {
    const tenant = await this.#deps.contexts.of(authorise(context, INTERNAL_SCOPE));
    return appendFacts(this.#deps, tenant, drafts);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Facts of subjects, verified (a list of FactAnswer).' })
  async readFacts(
    @Ctx() context: RequestContext,
    @Arg('questions', () => JsonScalar, { description: 'Subjects and known places (a list of FactQuestion).' })
    questions: FactQuestion[],
  ): Promise<readonly FactAnswer[]> {
    const tenantId = authorise(context, INTERNAL_SCOPE);
    const { factRows, provenEntries } = this.#deps;
    const read = () => readFacts({ tenantId, rows: factRows(tenantId), provenEntries }, questions);
    return reportingDamage(this.#deps, readerOf(context, tenantId), read);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Identifiers of the subjects of a kind, in order (a list of strings).' })
  async factSubjects(
    @Ctx() context: RequestContext,
    @Arg('kind', () => String, { description: 'Kind of subject.' }) kind: FactKind,
    @Arg('after', () => String, { nullable: true, description: 'Only identifiers after this text.' }) after:
      | string
      | null,
    @Arg('before', () => String, { nullable: true, description: 'Only identifiers before this text.' }) before:
      | string
      | null,
  ): Promise<readonly string[]> {
    const rows = this.#deps.factRows(authorise(context, INTERNAL_SCOPE));
    return factSubjects(rows, kind, { after: after ?? null, before: before ?? null });
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Names that facts of a kind give to records, in order (a list of strings).' })
  async factRefs(
    @Ctx() context: RequestContext,
    @Arg('kind', () => String, { description: 'Kind of subject.' }) kind: FactKind,
    @Arg('after', () => String, { description: 'Only names after this text.' }) after: string,
    @Arg('before', () => String, { description: 'Only names before this text.' }) before: string,
  ): Promise<readonly string[]> {
    return factRefs(this.#deps.factRows(authorise(context, INTERNAL_SCOPE)), kind, { after, before });
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, {
    description: 'Identifiers of subjects with a fact that names others (a list of strings).',
  })
  async subjectsNaming(
    @Ctx() context: RequestContext,
    @Arg('kind', () => String, { description: 'Kind of subject.' }) kind: FactKind,
    @Arg('refs', () => JsonScalar, { description: 'Names (a list of strings).' }) refs: string[],
  ): Promise<readonly string[]> {
    return subjectsNaming(this.#deps.factRows(authorise(context, INTERNAL_SCOPE)), kind, refs);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Subjects with a fact since a time (a list of FactSubject).' })
  async changedSubjects(
    @Ctx() context: RequestContext,
    @Arg('kinds', () => JsonScalar, { description: 'Kinds of subjects.' }) kinds: FactKind[],
    @Arg('since_ms', () => SafeInteger, { description: 'Milliseconds since the epoch.' }) sinceMs: number,
  ): Promise<readonly FactSubject[]> {
    return changedSubjects(this.#deps.factRows(authorise(context, INTERNAL_SCOPE)), kinds, sinceMs);
  }

  @Directive('@inaccessible')
  @Query(() => JsonScalar, { description: 'Subjects with a fact after a place of the chain (FactChanges).' })
  async factChanges(
    @Ctx() context: RequestContext,
    @Arg('kind', () => String, { description: 'Kind of subject.' }) kind: FactKind,
    @Arg('after_seq', () => SafeInteger, { description: 'Place in the chain of the kind.' }) afterSeq: number,
  ): Promise<FactChanges> {
    return factChanges(this.#deps.factRows(authorise(context, INTERNAL_SCOPE)), kind, afterSeq);
  }
}
