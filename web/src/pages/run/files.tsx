/** Where is the screenshot, the report or the trace? */
import { getRouteApi, Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { Button } from '../../parts/button.tsx';
import { SearchField } from '../../parts/choices.tsx';
import { Empty } from '../../parts/states.tsx';
import { Moment } from '../../parts/times.tsx';
import { useAddress } from './address.ts';
import { FILE_ICONS, kindOf } from './file-kinds.ts';
import { FileView } from './file-view.tsx';
import styles from './files.module.css';
import { type FilePart, useRun } from './run-context.ts';

const filesRoute = getRouteApi('/signed-in/runs/$runId/files');
const SHOWN = 500;

export function FilesPage() {
  const { doc, isPast } = useRun();
  const { file: chosen, q } = filesRoute.useSearch();
  const setAddress = useAddress();
  const wanted = q?.toLowerCase() ?? '';
  const files = doc.files.filter(({ name }) => name.toLowerCase().includes(wanted));
  const file = doc.files.find(({ id }) => id === chosen);
  if (doc.files.length === 0) {
    return (
      <Empty>
        {isPast ? 'There was no file at this moment.' : 'This run has no files.'} Steps give files
        to it with <code>::attach::</code> or <code>actions/upload-artifact</code>.
      </Empty>
    );
  }
  return (
    <div className={styles.files}>
      <SearchField
        label="Part of a file's name"
        value={q ?? ''}
        onSearch={(text) => void setAddress({ q: text || undefined })}
      />
      <div className={styles.both} data-open={file !== undefined || undefined}>
        <div className={styles.lists}>
          {files.length === 0 && <Empty>No file has such a name.</Empty>}
          {[...Map.groupBy(files.slice(0, SHOWN), ({ job }) => job)].map(([job, own]) => (
            <FilesOfJob key={job} job={job} files={own} chosen={chosen} />
          ))}
          {files.length > SHOWN && (
            <p>{files.length - SHOWN} more: search for a part of the name.</p>
          )}
        </div>
        {file !== undefined && (
          <section className={styles.shown} aria-label="File">
            <div className={styles.head}>
              <h2>
                <bdi>{file.name}</bdi>
              </h2>
              <Button
                kind="quiet"
                aria-label="Close the file"
                onPress={() => void setAddress({ file: undefined })}
              >
                <X aria-hidden size={16} />
              </Button>
            </div>
            <FileView key={file.id} file={file} />
          </section>
        )}
        {file === undefined && chosen !== undefined && (
          <Empty>The run has no such file at this moment.</Empty>
        )}
      </div>
    </div>
  );
}

interface FilesOfJobProps {
  readonly job: string;
  readonly files: readonly FilePart[];
  readonly chosen: string | undefined;
}

function FilesOfJob({ job, files, chosen }: FilesOfJobProps) {
  const { runId, kept, doc } = useRun();
  const name = doc.jobs.find(({ key }) => key === job)?.name ?? job;
  return (
    <section aria-label={job === '' ? 'Reports on the run' : name}>
      <h2>{job === '' ? 'Reports on the run' : <bdi>{name}</bdi>}</h2>
      <ul className={styles.list}>
        {files.map((file) => {
          const Icon = FILE_ICONS[kindOf(file)];
          return (
            <li key={file.id} aria-current={file.id === chosen}>
              <Icon aria-hidden size={16} />
              <Link
                to="/runs/$runId/files"
                params={{ runId }}
                search={{ ...kept, file: file.id }}
                resetScroll={false}
              >
                <bdi>{file.name}</bdi>
              </Link>
              <span className={styles.more}>{file.type !== null && <bdi>{file.type}</bdi>}</span>
              <span className={`${styles.more} ${styles.at}`}>
                {file.at !== null && <Moment at={file.at} />}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
