# The formula for Homebrew on Linux; Scripts/release fills in the URL, the version and the checksum.
class Runner < Formula
  desc "Declarative uploads and downloads with retries and reports"
  homepage "@HOMEPAGE@"
  url "@HOMEPAGE@/releases/download/v@VERSION@/runner-@VERSION@-x86_64-linux.tar.gz"
  version "@VERSION@"
  sha256 "@SHA256@"
  license "MIT"

  depends_on arch: :x86_64
  depends_on :linux
  depends_on "curl"

  def install
    # The program opens libcurl by name, and Homebrew's libraries are in no folder that the linker knows.
    libexec.install "bin/runner"
    (bin/"runner").write_env_script libexec/"runner",
      LD_LIBRARY_PATH: "#{Formula["curl"].opt_lib}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    man1.install Dir["share/man/man1/*"]
    man5.install Dir["share/man/man5/*"]
    bash_completion.install "share/bash-completion/completions/runner"
    zsh_completion.install "share/zsh/site-functions/_runner"
    fish_completion.install "share/fish/vendor_completions.d/runner.fish"
    pkgshare.install "share/runner/schemas"
    doc.install Dir["share/doc/runner/*"]
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/runner --version").strip
    (testpath/"job.yaml").write <<~YAML
      version: 1
      downloads: { a: { url: "file://#{testpath}/in.txt", to: out.txt } }
    YAML
    (testpath/"in.txt").write "brewed"
    system bin/"runner", "validate", "job.yaml"
  end
end
