import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { CONTRACT, type ContractExtension } from '../../../shared/graph/contract-field.js';
import type { ReferencesTo } from '../../../shared/graph/edges/references.js';
import { Bundle } from '../bundles/schema/index.js';
import { LegalMatter } from '../matters/schema.js';
import { MatterDocument, MatterException, MatterHold, MatterMember } from './schema.js';

const GRAPH_ONLY = { [CONTRACT]: { graphOnly: true } satisfies ContractExtension };
const MAX_OF_MATTER = 50;

/** A list that names a record which the reader may not see, or which is gone, has null in its place. */
const listOf = (records: string) =>
  ({
    nullable: 'items',
    description: `${records} of the matter, ${MAX_OF_MATTER} at most; null in the place of one that is unknown.`,
  }) as const;

const named = <T>(ids: readonly string[], entity: (id: string) => T): readonly T[] =>
  ids.slice(0, MAX_OF_MATTER).map(entity);

/** The records of legal matters; other subgraphs resolve the references, each under the scope of its records. */
@Resolver(() => LegalMatter)
export class MatterRecordsResolver {
  readonly #bundles: ReferencesTo<Bundle>;

  constructor(bundles: ReferencesTo<Bundle>) {
    this.#bundles = bundles;
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [MatterMember], listOf('Members'))
  members(@Root() { member_ids }: LegalMatter): readonly MatterMember[] {
    return named(member_ids, (member_id) => ({ member_id }));
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [MatterHold], listOf('Legal holds'))
  holds(@Root() { hold_ids }: LegalMatter): readonly MatterHold[] {
    return named(hold_ids, (hold_id) => ({ hold_id }));
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [MatterDocument], listOf('Documents'))
  documents(@Root() { document_ids }: LegalMatter): readonly MatterDocument[] {
    return named(document_ids, (document_id) => ({ document_id }));
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [MatterException], listOf('Exceptions'))
  exceptions(@Root() { exception_ids }: LegalMatter): readonly MatterException[] {
    return named(exception_ids, (exception_id) => ({ exception_id }));
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => [Bundle], listOf('Bundles'))
  bundles(@Root() { bundle_ids }: LegalMatter, @Ctx() context: RequestContext): Promise<readonly (Bundle | null)[]> {
    return Promise.all(named(bundle_ids, (bundle_id) => this.#bundles({ bundle_id }, context)));
  }
}

/** Where bundles lead to. */
@Resolver(() => Bundle)
export class BundleMatterResolver {
  readonly #matters: ReferencesTo<LegalMatter>;

  constructor(matters: ReferencesTo<LegalMatter>) {
    this.#matters = matters;
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => LegalMatter, {
    nullable: true,
    description: 'The legal matter of its scope; null if the scope names none, or none that the tenant has.',
  })
  async matter(@Root() { scope: { matter_id } }: Bundle, @Ctx() context: RequestContext): Promise<LegalMatter | null> {
    return matter_id == null ? null : this.#matters({ matter_id }, context);
  }
}
