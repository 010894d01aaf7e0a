import { Link } from '../../router';
import { useText } from '../../text';

const PLACES: Readonly<Record<string, string>> = {
  event: 'events',
  member: 'members',
  document: 'documents',
  bundle: 'bundles',
  matter: 'matters',
  hold: 'holds',
  rule: 'rules',
};

/** The screen of a node's record, where it has one. */
function placeOf(id: string): string | null {
  const [kind = ''] = id.split(':');
  const place = PLACES[kind];
  return place === undefined ? null : `/${place}/${encodeURIComponent(id.slice(kind.length + 1))}`;
}

export function RecordLink({ id }: { readonly id: string }) {
  const { t } = useText();
  const place = placeOf(id);
  return place === null ? null : <Link to={place}>{t('Open', 'Abrir')}</Link>;
}
