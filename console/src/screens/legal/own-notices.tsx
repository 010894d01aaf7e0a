import { useQuery } from '@tanstack/react-query';
import { type Api, api, unwrap } from '../../api/client';
import { useText } from '../../text';
import { Badge, Deed, Panel, Time } from '../../ui/parts';

/** The pending notices to the person or system behind the session; nothing without any. */
export default function OwnNotices() {
  const { t } = useText();
  const notices = useQuery({
    queryKey: ['own-notices'],
    queryFn: () => unwrap(api.GET('/v1/hold-notices', { params: { query: { status: 'PENDING' } } })),
  });
  const items = notices.data?.items ?? [];
  if (items.length === 0) return null;
  return (
    <Panel title={t('Legal holds that concern you', 'Retenciones legales que le conciernen')}>
      {items.map((notice) => (
        <OwnNotice key={notice.notice_id} notice={notice} onDone={() => void notices.refetch()} />
      ))}
    </Panel>
  );
}

function OwnNotice({ notice, onDone }: { readonly notice: Api<'HoldNotice'>; readonly onDone: () => void }) {
  const { t } = useText();
  const acknowledge = async (): Promise<void> => {
    const params = { path: { id: notice.notice_id } };
    await unwrap(api.POST('/v1/hold-notices/{id}/acknowledge', { params, body: {} }));
    onDone();
  };
  return (
    <article className="note">
      <p>{notice.text}</p>
      <p>
        {t('Acknowledge by', 'Acuse recibo antes del')} <Time at={notice.due_at} />{' '}
        {notice.overdue && <Badge>OVERDUE</Badge>}
      </p>
      <Deed strong label={t('I have read it and will comply', 'Lo he leído y lo cumpliré')} run={acknowledge} />
    </article>
  );
}
