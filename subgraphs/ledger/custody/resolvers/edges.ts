import { type ClassType, Ctx, Extensions, FieldResolver, Resolver, Root } from 'type-graphql';
import { authorise, type RequestContext } from '../../../../shared/auth/context.js';
import type { CustodySubjectKind } from '../../../../shared/contracts/custody.js';
import { CONTRACT, type ContractExtension } from '../../../../shared/graph/contract-field.js';
import { BatchedEdges } from '../../../../shared/graph/edges/batched-edges.js';
import { SafeInteger } from '../../../../shared/graph/scalars.js';
import { EventRecord } from '../../events/schema.js';
import { type DamageDeps, readerOf, reportingDamage } from '../../integrity/index.js';
import type { RequireProven } from '../../row-proofs/index.js';
import type { CustodyStore } from '../ports.js';
import { custodyOfSubjects, MAX_OF_SUBJECT } from '../read-custody.js';
import { BundleInCustody, CustodyRecord, DocumentInCustody, HoldInCustody } from '../schema.js';

interface CustodyEdgeDeps extends DamageDeps {
  readonly custodyEntries: CustodyStore;
  readonly requireProven: RequireProven;
}

/** Makes the resolver that adds its custody to one type: a page of records costs one read of custody. */
function custodyEdge<Subject extends object>(
  type: ClassType<Subject>,
  kind: CustodySubjectKind,
  idOf: (subject: Subject) => string,
) {
  @Resolver(() => type)
  class CustodyEdgeResolver {
    readonly #acts: BatchedEdges<string, readonly CustodyRecord[]>;

    constructor(deps: CustodyEdgeDeps) {
      this.#acts = new BatchedEdges((context, _, ids) => {
        const tenantId = authorise(context, 'custody:read');
        const custody = {
          entries: deps.custodyEntries(tenantId),
          requireProven: (rows: Parameters<RequireProven>[1]) => deps.requireProven(tenantId, rows),
        };
        return reportingDamage(deps, readerOf(context, tenantId), () => custodyOfSubjects(custody, kind, ids));
      });
    }

    @Extensions({ [CONTRACT]: { graphOnly: true } satisfies ContractExtension })
    @FieldResolver(() => [CustodyRecord], {
      description: `Acts of custody with the record, the newest first; ${MAX_OF_SUBJECT} at most.`,
    })
    custody(@Root() subject: Subject, @Ctx() context: RequestContext): Promise<readonly CustodyRecord[]> {
      return this.#acts.load(context, '', idOf(subject));
    }
  }
  return CustodyEdgeResolver;
}

/** Acts of custody as entries of the ledger. */
@Resolver(() => CustodyRecord)
export class CustodyEntryResolver {
  @Extensions({ [CONTRACT]: { graphOnly: true, example: 1 } satisfies ContractExtension })
  @FieldResolver(() => SafeInteger, { description: 'Place in its chain, from 1: the same as `seq`.' })
  sequence(@Root() { seq }: CustodyRecord): number {
    return seq;
  }
}

/** One resolver for each kind of subject with a type in the graph. */
export const CUSTODY_EDGES = [
  custodyEdge(EventRecord, 'EVENT', ({ event_id }) => event_id),
  custodyEdge(BundleInCustody, 'BUNDLE', ({ bundle_id }) => bundle_id),
  custodyEdge(DocumentInCustody, 'DOCUMENT', ({ document_id }) => document_id),
  custodyEdge(HoldInCustody, 'HOLD', ({ hold_id }) => hold_id),
] as const;
