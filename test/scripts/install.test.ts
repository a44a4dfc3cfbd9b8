/**
 * `install.sh` of the bundle, run to its end: with podman and a small image of this machine's programs where podman can run containers,
 * and with programs that only pretend to be an engine for what an engine may do wrong.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Test } from 'tap'
import { makeImage } from '../support/oci-image.ts'

const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
const UID = 10001
/** What the container does: says who it is and what it has, and tries to write where it may and where it may not. */
const WORK = 'id -u; cat /models/ggml-tiny.bin; echo kept > /data/file && cat /data/file; echo x > /file || echo "read-only"'

/** Programs of this machine with their libraries, by path within the image. */
function programs (...names: string[]): Record<string, { from: string }> {
  const files = names.map((name) => [`bin/${name}`, realpathSync(`/bin/${name}`)] as const)
  const libraries = files.flatMap(([, from]) => {
    const { stdout } = spawnSync('ldd', [from], { encoding: 'utf8' })
    return [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => [path.slice(1), realpathSync(path)] as const)
  })
  return Object.fromEntries([...files, ...libraries].map(([path, from]) => [path, { from }]))
}

/** A bundle of a small image and a stand-in model. Returns its folder. */
function makeBundle (t: Test, place: string): string {
  const folders = Object.fromEntries(['data/', 'models/', 'tmp/', 'proc/', 'dev/', 'sys/', 'etc/'].map((path) => [path, '']))
  const setup = { User: `${UID}:${UID}`, Cmd: ['sh', '-c', WORK] }
  makeImage(join(place, 'image.tar'), { ...programs('sh', 'tar', 'cat', 'id'), ...folders }, { owner: UID, setup })
  const bundle = join(place, 'bundle')
  const args = ['scripts/bundle.mjs', '--image', join(place, 'image.tar'), '--models', join(place, 'weights'), '--output', bundle]
  const made = spawnSync(process.execPath, args, { encoding: 'utf8' })
  t.equal(made.status, 0, made.stderr)
  return bundle
}

function writeProgram (file: string, script: string): string {
  writeFileSync(file, `#!/bin/sh\n${script}\n`)
  chmodSync(file, 0o755)
  return file
}

/**
 * Podman with storage of its own. It needs no rights over control groups and limits, which containers that run tests do not have. Its
 * containers have no network: a bridge would announce itself on its interface.
 */
function writePodman (t: Test, place: string): string {
  // Podman refuses long names here.
  const running = mkdtempSync(join(tmpdir(), 'podman-'))
  t.teardown(() => { rmSync(running, { recursive: true }) })
  writeFileSync(join(place, 'containers.conf'), [
    '[containers]', 'netns="none"', 'cgroups="disabled"', 'default_ulimits=["nofile=1024:1024", "nproc=1024:1024"]',
    '[engine]', 'cgroup_manager="cgroupfs"', 'events_logger="file"', ''
  ].join('\n'))
  return writeProgram(join(place, 'podman'), `export CONTAINERS_CONF=${place}/containers.conf
exec podman --root ${place}/storage --runroot ${running} --storage-driver vfs "$@"`)
}

/** Runs a script where mounts are private. Without control groups to be seen, engines do not refuse mixed versions of them. */
function runApart (script: string, ...args: string[]) {
  const command = `mount -t tmpfs none /sys/fs/cgroup && { ${script}; }`
  return spawnSync('unshare', ['-m', 'sh', '-c', command, 'sh', ...args], { encoding: 'utf8' })
}

const PODMAN = { skip: spawnSync('podman', ['--version']).status === 0 ? false : 'podman is not installed' }

t.test('the image and the models are installed, and the printed command starts them', PODMAN, async (t) => {
  const place = t.testdir({ weights: { 'ggml-tiny.bin': 'weights\n' } })
  const bundle = makeBundle(t, place)
  const podman = writePodman(t, place)
  const probe = runApart('"$1" run --rm "oci-archive:$2" id -u', podman, join(place, 'image.tar'))
  if (probe.status !== 0) {
    t.pass('nothing was run', { skip: `podman cannot run containers here: ${probe.stderr.trim().split('\n').at(-1)}` })
    return
  }

  const installed = runApart('"$1" --engine "$2" && "$2" volume ls -q && "$2" run --rm "$3" id -u', `${bundle}/install.sh`, podman,
    `localhost/stenobox:${version}`)
  t.equal(installed.status, 0, installed.stderr)
  t.match(installed.stdout, /all \d+ files are as they were bundled\nInstalled localhost\/stenobox:/)
  t.match(installed.stdout, /^stenobox-data\nstenobox-models\n10001$/m)

  // The printed command, without the port, which needs a network.
  const printed = /^ {2}(\S+ run -d [^]*?)\n {2}\S+ logs/m.exec(installed.stdout)?.[1]?.replace('\\\n', '') ?? ''
  t.match(printed, / -p 127\.0\.0\.1:8080:8080 /)
  const isolated = printed.replace(/-p \S+/, '')
  const started = runApart(`${isolated} && "$1" wait stenobox && "$1" logs stenobox; "$1" rm -f stenobox`, podman)
  t.match(started.stdout, /^10001\nweights\nkept\nread-only$/m, started.stderr)

  const again = runApart('"$1" --engine "$2"', `${bundle}/install.sh`, podman)
  t.equal(again.status, 0, 'a second time too')
  const kept = runApart('"$1" run --rm -v stenobox-data:/data "$2" cat /data/file', podman, `localhost/stenobox:${version}`)
  t.equal(kept.stdout, 'kept\n', 'what is in the volume stays')
})

t.test('nothing is asked of the engine before every file was checked, and its failures end the installation', async (t) => {
  const place = t.testdir({ weights: {} })
  const bundle = makeBundle(t, place)
  const asked = join(place, 'asked')
  const engine = writeProgram(join(place, 'docker'), `echo "$@" >> ${asked}`)
  const install = (...args: string[]) => spawnSync(`${bundle}/install.sh`, args, { encoding: 'utf8' })
  t.match(install('--engine', 'no-such-program'), { status: 1, stderr: /there is none of these programs: no-such-program/ })

  t.match(install('--engine', engine), { status: 1, stderr: /docker did not load the image/ })
  t.equal(readFileSync(asked, 'utf8'), 'load -q -i stenobox.oci.tar\n')
  writeProgram(engine, `echo "$@" >> ${asked}; case "$1" in load) echo 'Loaded image: stenobox:new' ;; tag) exit 3 ;; esac`)
  t.equal(install('--engine', engine).status, 3)
  t.match(readFileSync(asked, 'utf8'), /tag stenobox:new localhost\/stenobox:[\d.]+\n$/)

  const before = readFileSync(asked, 'utf8')
  writeFileSync(join(bundle, 'README.md'), 'changed')
  t.match(install('--engine', engine), { status: 1, stderr: /README\.md is not the file that was bundled/ })
  t.equal(readFileSync(asked, 'utf8'), before)
  t.ok(existsSync(join(bundle, 'stenobox.oci.tar')))
})
