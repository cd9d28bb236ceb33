/** Files of a run: as links, as pictures, and as views. HTML has its own frame, without rights and without network. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useEffect, useState } from 'react';
import { askBlob, askText, runPath, SERVER } from '../../data/api.ts';
import { Button } from '../../parts/button.tsx';
import { Empty, Placeholder, Problem } from '../../parts/states.tsx';
import { FILE_ICONS, kindOf } from './file-kinds.ts';
import styles from './file-view.module.css';
import { OpenReport } from './open-report.tsx';
import { OutputLines } from './output-lines.tsx';
import { type FilePart, useRun } from './run-context.ts';
import { saveContent } from './save-content.ts';

/** Types for the browser by the endings of names. The type that a step gave its file counts for nothing. */
const PICTURE_TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  webm: 'video/webm',
  mp4: 'video/mp4',
  ogv: 'video/ogg',
};

/** Files as links to their views. */
export function FileLinks({ files }: { readonly files: readonly FilePart[] }) {
  const { runId, kept } = useRun();
  if (files.length === 0) return null;
  return (
    <section aria-label="Files">
      <h3>Files</h3>
      <ul className={styles.links}>
        {files.slice(0, 50).map((file) => {
          const Icon = FILE_ICONS[kindOf(file)];
          return (
            <li key={file.id}>
              <Icon aria-hidden size={14} />
              <Link to="/runs/$runId/files" params={{ runId }} search={{ ...kept, file: file.id }}>
                <bdi>{file.name}</bdi>
              </Link>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

const filePath = (runId: string, { id }: FilePart, rest = ''): string =>
  runPath(runId, `/files/${encodeURIComponent(id)}${rest}`);

/** The address of the content in this page, for as long as it is shown. */
function useContent(file: FilePart) {
  const { runId } = useRun();
  const { data, error, refetch } = useQuery({
    queryKey: ['file', runId, file.id],
    queryFn: ({ signal }) => askBlob({ path: filePath(runId, file), signal }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [address, setAddress] = useState<string | null>(null);
  useEffect(() => {
    if (data === undefined) return;
    const type = PICTURE_TYPES[file.name.split('.').at(-1)?.toLowerCase() ?? ''] ?? '';
    const made = URL.createObjectURL(new Blob([data], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [data, file.name]);
  return { address, error, again: () => void refetch() };
}

/** A picture of a run, with its name below. */
export function Picture({ file }: { readonly file: FilePart }) {
  const { runId, kept } = useRun();
  const { address, error, again } = useContent(file);
  if (error !== null) return <Problem error={error} onAgain={again} />;
  return (
    <figure className={styles.picture}>
      {address === null ? <Placeholder lines={6} /> : <img src={address} alt={file.name} />}
      <figcaption>
        <Link to="/runs/$runId/files" params={{ runId }} search={{ ...kept, file: file.id }}>
          <bdi>{file.name}</bdi>
        </Link>
      </figcaption>
    </figure>
  );
}

function Film({ file }: { readonly file: FilePart }) {
  const { address, error, again } = useContent(file);
  if (error !== null) return <Problem error={error} onAgain={again} />;
  if (address === null) return <Placeholder lines={6} />;
  return (
    // Videos of tests have no sound.
    <video
      className={styles.video}
      src={address}
      controls
      muted
      aria-label={`Video ${file.name}`}
    />
  );
}

/** Bytes of a text that are shown. */
const TEXT_MAX = 262_144;
const LINES_MAX = 2_000;

function Text({ file }: { readonly file: FilePart }) {
  const { runId } = useRun();
  const { data, error, refetch } = useQuery({
    queryKey: ['text', runId, file.id],
    queryFn: ({ signal }) =>
      askText({
        path: filePath(runId, file),
        headers: { range: `bytes=0-${TEXT_MAX - 1}`, accept: '*/*' },
        signal,
      }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (error !== null) return <Problem error={error} onAgain={() => void refetch()} />;
  if (data === undefined) return <Placeholder lines={6} />;
  const lines = data.slice(0, TEXT_MAX).split('\n');
  const isCut = data.length >= TEXT_MAX || lines.length > LINES_MAX;
  return (
    <>
      {data === '' ? (
        <Empty>This file is empty.</Empty>
      ) : (
        <OutputLines lines={lines.slice(0, LINES_MAX)} />
      )}
      {isCut && <p>This is the beginning. Download the file to see all of it.</p>}
    </>
  );
}

/** A page that a test made. Its frame is an origin of its own: its scripts reach neither this page nor any host. */
function PageOfTool({ file }: { readonly file: FilePart }) {
  const { runId } = useRun();
  return (
    <iframe
      className={styles.page}
      title={`Page ${file.name}`}
      sandbox="allow-scripts"
      src={`${SERVER}${filePath(runId, file, '/view')}`}
    />
  );
}

/** One file, as far as a browser can show it. */
export function FileView({ file }: { readonly file: FilePart }) {
  const kind = kindOf(file);
  return (
    <div className={styles.view}>
      {kind === 'picture' && <Picture file={file} />}
      {kind === 'video' && <Film file={file} />}
      {kind === 'page' && <PageOfTool file={file} />}
      {kind === 'text' && <Text file={file} />}
      {kind === 'report' && <OpenReport file={file} />}
      {kind === 'other' && (
        <Empty>A browser cannot show files of this kind. Download it instead.</Empty>
      )}
      <SaveButton file={file} />
    </div>
  );
}

/** Saves the content under its name. */
function SaveButton({ file }: { readonly file: FilePart }) {
  const { runId } = useRun();
  const [error, setError] = useState<unknown>(null);
  const save = async () => {
    try {
      saveContent(await askBlob({ path: filePath(runId, file) }), file.name);
      setError(null);
    } catch (problem) {
      setError(problem);
    }
  };
  return (
    <>
      {error !== null && <Problem error={error} />}
      <div>
        <Button onPress={() => void save()}>
          <Download aria-hidden size={16} />
          Download
        </Button>
      </div>
    </>
  );
}
