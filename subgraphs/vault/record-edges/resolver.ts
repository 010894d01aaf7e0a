import { Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import type { RequestContext } from '../../../shared/auth/context.js';
import { CONTRACT, type ContractExtension } from '../../../shared/graph/contract-field.js';
import type { ReferencesTo } from '../../../shared/graph/edges/references.js';
import { Document } from '../documents/schema.js';
import { LegalHold } from '../holds/schema.js';
import { Redaction } from '../redactions/schema.js';
import { MatterOfRecord } from './schema.js';

const GRAPH_ONLY = { [CONTRACT]: { graphOnly: true } satisfies ContractExtension };
const MATTER_EDGE = {
  nullable: true,
  description: 'Its legal matter; null if it names none, or none that the tenant has.',
} as const;

/** The bundles subgraph resolves the reference, under its own scope. */
const matterOf = (matterId: string | null): MatterOfRecord | null =>
  matterId === null ? null : { matter_id: matterId };

/** Where documents lead to. */
@Resolver(() => Document)
export class DocumentRecordsResolver {
  readonly #redactions: ReferencesTo<Redaction>;

  constructor(redactions: ReferencesTo<Redaction>) {
    this.#redactions = redactions;
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => MatterOfRecord, MATTER_EDGE)
  matter(@Root() { matter_id }: Document): MatterOfRecord | null {
    return matterOf(matter_id);
  }

  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => Redaction, { nullable: true, description: 'The applied redaction; null if there is none.' })
  async redaction(@Root() { redaction_id }: Document, @Ctx() context: RequestContext): Promise<Redaction | null> {
    return redaction_id === null ? null : this.#redactions({ redaction_id }, context);
  }
}

/** Where legal holds lead to. */
@Resolver(() => LegalHold)
export class HoldRecordsResolver {
  @Extensions(GRAPH_ONLY)
  @FieldResolver(() => MatterOfRecord, MATTER_EDGE)
  matter(@Root() { matter_id }: LegalHold): MatterOfRecord | null {
    return matterOf(matter_id);
  }
}
