import type { WithheldReason } from '../../../shared/consent/verdict.js';
import { strongerReason } from '../../../shared/consent/withheld.js';
import type { DocumentFacts, DocumentFactsFilter } from '../../../shared/contracts/documents.js';
import type { HoldSubject } from '../../../shared/contracts/holds.js';
import type { ManifestDocument } from '../../../shared/evidence/bundle/manifest.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { instantOf } from '../../../shared/time/rfc3339.js';
import { windowOf } from '../bundles/domain/index.js';
import { withheldDocuments } from './ask-consent.js';
import type { Build, BuildDeps } from './build-deps.js';
import { manifestDocument } from './domain/manifest-records.js';
import { inParts } from './select-rows.js';

const PAGE_LIMIT = 500;

/** The documents of a bundle as the manifest lists them, and the holds on them. */
export interface GatheredDocuments {
  readonly documents: readonly ManifestDocument[];
  readonly redactions: readonly { readonly redaction_id: string; readonly id: string }[];
  readonly holds: readonly { readonly hold_id: string; readonly documents: number }[];
  /** Documents that consent withholds; none of the lists above contains them. */
  readonly withheld: readonly { readonly document_id: string; readonly reason: WithheldReason }[];
}

/** Documents attached to events of the bundle, with the events that refer to each. */
export class ReferencedDocuments {
  readonly facts = new Map<string, DocumentFacts>();
  readonly references = new Map<string, string[]>();
  readonly #withheldWith = new Map<string, WithheldReason>();

  /**
   * @param eventIds events of the bundle
   * @param withheld events that consent withholds from it
   */
  add(
    documents: readonly DocumentFacts[],
    eventIds: readonly string[],
    withheld: ReadonlyMap<string, WithheldReason>,
  ): void {
    if (documents.length === 0) return;
    const events = new Set(eventIds);
    for (const document of documents) {
      const { document_id } = document;
      if (!this.facts.has(document_id)) this.facts.set(document_id, document);
      const known = this.references.get(document_id) ?? [];
      known.push(...document.event_ids.filter((id) => events.has(id)));
      this.references.set(document_id, known);
      const reasons = document.event_ids.map((id) => withheld.get(id) ?? null);
      const reason = strongerReason([this.#withheldWith.get(document_id) ?? null, ...reasons]);
      if (reason !== null) this.#withheldWith.set(document_id, reason);
    }
  }

  /** Returns why a document is withheld if all its events in the scope are withheld, else null. */
  withheldWithEvents(documentId: string): WithheldReason | null {
    const isReferenced = (this.references.get(documentId) ?? []).length > 0;
    return isReferenced ? null : (this.#withheldWith.get(documentId) ?? null);
  }
}

/**
 * Collects the documents of the scope's members and matter, those that it names, and those attached to its events.
 * Each is scanned first. A repeated build reuses the stored result.
 */
export async function gatherDocuments(
  deps: BuildDeps,
  build: Build,
  referenced: ReferencedDocuments,
): Promise<GatheredDocuments> {
  return build.inputs.kept('DOCUMENTS', 0, async () => {
    const found = new Map(referenced.facts);
    for (const document of await documentsOfScope(deps, build)) {
      if (!found.has(document.document_id)) found.set(document.document_id, document);
    }
    const { tenantId, bundle } = build;
    const withheld = await withheldDocuments(deps, { tenantId, ...bundle }, [...found.values()], referenced);
    const facts = [...found.values()]
      .filter(({ document_id }) => !withheld.has(document_id))
      .sort((a, b) => (a.document_id < b.document_id ? -1 : 1));
    const scanned: DocumentFacts[] = [];
    for (const document of facts)
      scanned.push(await scannedDocument(deps, build, document, scanned.length, facts.length));
    const references = (id: string): readonly string[] => referenced.references.get(id) ?? [];
    return {
      documents: scanned.map((document) =>
        manifestDocument(document, references(document.document_id), build.frozen.member_ids),
      ),
      redactions: scanned.flatMap(({ document_id, rendition }) =>
        rendition === null ? [] : [{ redaction_id: rendition.redaction_id, id: document_id }],
      ),
      holds: await holdsOn(deps, build.tenantId, scanned),
      withheld: [...withheld].map(([document_id, reason]) => ({ document_id, reason })),
    };
  });
}

/**
 * Checks whether the presentation of a document has changed since it was collected: disposed of, rejected or redacted.
 */
export async function hasChangedDocuments(
  deps: Pick<BuildDeps, 'documents'>,
  tenantId: TenantId,
  gathered: readonly ManifestDocument[],
): Promise<boolean> {
  const now = new Map<string, ManifestDocument>();
  for (const documentIds of inParts(gathered.map(({ document_id }) => document_id))) {
    for (const facts of await documentsWhere(deps, tenantId, { documentIds })) {
      now.set(facts.document_id, manifestDocument(facts, [], []));
    }
  }
  return gathered.some(({ document_id, state, sha256 }) => {
    const shown = now.get(document_id);
    return shown?.state !== state || shown.sha256 !== sha256;
  });
}

/** Returns every page of a list. */
export async function documentsWhere(
  { documents }: Pick<BuildDeps, 'documents'>,
  tenantId: TenantId,
  filter: DocumentFactsFilter,
): Promise<readonly DocumentFacts[]> {
  const found: DocumentFacts[] = [];
  let cursor: string | null = null;
  do {
    const page = await documents.list(tenantId, filter, cursor, PAGE_LIMIT);
    found.push(...page.items);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return found;
}

async function documentsOfScope(
  deps: BuildDeps,
  { tenantId, bundle, frozen }: Build,
): Promise<readonly DocumentFacts[]> {
  const { matter_id } = bundle.scope;
  const filters: DocumentFactsFilter[] = [
    ...inParts(frozen.member_ids).map((memberIds) => ({ memberIds })),
    ...(matter_id === undefined ? [] : [{ matterId: matter_id }]),
    ...inParts(frozen.document_ids).map((documentIds) => ({ documentIds })),
  ];
  const found: DocumentFacts[] = [];
  for (const filter of filters) found.push(...(await documentsWhere(deps, tenantId, filter)));
  const { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY } = windowOf(bundle.scope);
  return found.filter((document) => {
    const atMs = atOf(document) ?? fromMs;
    return atMs >= fromMs && atMs < toMs;
  });
}

const atOf = ({ effective_at, created_at }: DocumentFacts): number | undefined => instantOf(effective_at ?? created_at);

async function scannedDocument(
  deps: BuildDeps,
  { tenantId, reportProgress }: Build,
  document: DocumentFacts,
  done: number,
  total: number,
): Promise<DocumentFacts> {
  if (document.status !== 'AVAILABLE' || document.scan.status !== 'PENDING') return document;
  await reportProgress('DOCUMENTS', done, total);
  return deps.documents.ensureScanned(tenantId, document.document_id);
}

async function holdsOn(
  { holds }: BuildDeps,
  tenantId: TenantId,
  documents: readonly DocumentFacts[],
): Promise<GatheredDocuments['holds']> {
  const counts = new Map<string, number>();
  for (const part of inParts(documents)) countHolds(counts, await holds.covering(tenantId, part.map(holdSubject)));
  return [...counts].map(([hold_id, count]) => ({ hold_id, documents: count }));
}

/** Counts the covered records of each hold. */
export function countHolds(counts: Map<string, number>, covering: ReadonlyMap<string, readonly string[]>): void {
  for (const holdId of [...covering.values()].flat()) counts.set(holdId, (counts.get(holdId) ?? 0) + 1);
}

function holdSubject(document: DocumentFacts): HoldSubject {
  const { document_id, member_ids, event_ids, source_system, matter_id } = document;
  const atMs = atOf(document);
  return {
    kind: 'DOCUMENT',
    id: document_id,
    facts: {
      member_ids,
      event_ids,
      ...(source_system === null ? {} : { source_system }),
      ...(matter_id === null ? {} : { matter_id }),
      ...(atMs === undefined ? {} : { at_ms: atMs }),
    },
  };
}
