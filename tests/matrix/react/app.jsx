// A component that has a client for as long as it is mounted. StrictMode mounts it, unmounts it and mounts it again, in one turn.
import { StrictMode, useEffect, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { ClusterClient, init } from 'regate';

const seen = { mounts: 0, unmounts: 0, errors: [] };

function Answer({ options }) {
  const [answer, setAnswer] = useState('');
  useEffect(() => {
    seen.mounts += 1;
    const client = new ClusterClient(options);
    client.connect().catch((error) => {
      if (error.code !== 'CLIENT_CLOSED') seen.errors.push(error.message); // unmounted meanwhile
    });
    client.invoke('echo', ['answered'], { readOnly: true }).then(
      ([text]) => setAnswer(text),
      (error) => {
        if (error.code !== 'CLIENT_CLOSED') seen.errors.push(error.message);
      },
    );
    return () => {
      seen.unmounts += 1;
      client.close();
    };
  }, [options]);
  return <output>{answer}</output>;
}

let root;

/** Mounts the component and waits until it shows the answer. */
globalThis.mount = async (options) => {
  await init();
  const place = document.body.appendChild(document.createElement('main'));
  root = createRoot(place);
  const shown = new Promise((resolve) => {
    new MutationObserver(() => place.textContent !== '' && resolve(place.textContent)).observe(place, {
      characterData: true,
      childList: true,
      subtree: true,
    });
  });
  root.render(
    <StrictMode>
      <Answer options={options} />
    </StrictMode>,
  );
  return { answer: await shown, ...seen };
};

globalThis.unmount = () => root.unmount();
