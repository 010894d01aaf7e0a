import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, unwrap } from '../../api/client';
import { Preferences } from '../../shell/theme';
import { useText } from '../../text';
import { Field, Form, Time } from '../../ui/parts';
import { Loaded } from '../../ui/states';

const read = (token: string) => unwrap(api.GET('/v1/notice-links/{token}', { params: { path: { token } } }));

type Notice = Awaited<ReturnType<typeof read>>;

/** A notice behind a link, for a custodian without a key. The token is behind the #, which browsers send to no server. */
export default function SharedNoticeScreen() {
  const { t } = useText();
  const client = useQueryClient();
  const token = location.hash.slice(1);
  const queryKey = ['shared-notice', token];
  const path = { token };
  const notice = useQuery({
    queryKey,
    queryFn: () => read(token),
  });
  const acknowledge = async (name: string): Promise<void> => {
    const done = await unwrap(api.POST('/v1/notice-links/{token}/acknowledge', { params: { path }, body: { name } }));
    client.setQueryData(queryKey, done);
  };
  return (
    <main className="sign-in panel">
      <h1>{t('Legal hold: notice to keep records', 'Retención legal: aviso de conservar registros')}</h1>
      <Loaded query={notice} lines={4}>
        {(found) => <Shown notice={found} onAcknowledge={acknowledge} />}
      </Loaded>
      <p className="row">
        <Preferences />
      </p>
    </main>
  );
}

interface ShownProps {
  readonly notice: Notice;
  readonly onAcknowledge: (name: string) => Promise<void>;
}

function Shown({ notice, onAcknowledge }: ShownProps) {
  const { t } = useText();
  const [name, setName] = useState('');
  return (
    <>
      <p className="quiet">{notice.custodian}</p>
      <p>{notice.text}</p>
      {notice.status === 'ACKNOWLEDGED' ? (
        <p role="status" className="note good">
          {t('Acknowledged', 'Acuse de recibo registrado')} <Time at={notice.acknowledged_at} />
        </p>
      ) : (
        <>
          <p>
            {t('Acknowledge by', 'Acuse recibo antes del')} <Time at={notice.due_at} />
          </p>
          <Form
            submit={t('I have read it and will comply', 'Lo he leído y lo cumpliré')}
            onSubmit={() => onAcknowledge(name)}
          >
            <Field
              label={t('Your full name', 'Su nombre completo')}
              value={name}
              onChange={setName}
              required
              hint={t('It is recorded with your acknowledgement.', 'Se registra con su acuse de recibo.')}
            />
          </Form>
        </>
      )}
    </>
  );
}
