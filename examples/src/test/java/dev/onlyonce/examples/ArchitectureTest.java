package dev.onlyonce.examples;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.maven.model.Model;
import org.apache.maven.model.ModelBase;
import org.apache.maven.model.io.xpp3.MavenXpp3Reader;
import org.junit.jupiter.api.Test;

/**
 * Holds the project to docs/ARCHITECTURE.md. The allowed edges are read out of that page, the
 * modules out of the root pom, their edges out of their poms, and their classes out of their target
 * folders.
 *
 * <p>The project is whatever lies in the parent folder. That is how canaries/architecture, a small
 * project that breaks every rule, makes each of these tests fail.
 */
class ArchitectureTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final List<Module> MODULES = Module.all();
  private static final List<Row> TABLE = Row.all();
  private static final JavaClasses MAIN = importFrom(Module::mainClasses);
  private static final JavaClasses TESTS = importFrom(Module::testClasses);

  private static final Set<String> NEED_THE_JDK_ONLY = Set.of("core", "outbox", "saga");
  private static final Set<String> MAY_ENTER_INTERNALS = Set.of("testkit", "bench", "app");
  private static final String SLEEP =
      "java\\.lang\\.Thread\\.sleep\\(.*|java\\.util\\.concurrent\\.TimeUnit\\.sleep\\(.*";

  @Test
  void every_module_has_one_row_in_the_table() {
    assertThat(MODULES.stream().filter(it -> TABLE.stream().filter(it::isIn).count() != 1))
        .as("modules with no row or several")
        .isEmpty();
  }

  @Test
  void a_pom_has_only_edges_that_the_table_allows() {
    assertThat(MODULES.stream().flatMap(Module::edges).filter(it -> !isAllowed(it)))
        .as("edges of poms that the table does not allow")
        .isEmpty();
  }

  @Test
  void a_class_uses_only_modules_that_the_table_allows() {
    assertThat(
            dependenciesAcrossModules()
                .filter(it -> !isAllowed(edgeOf(it)))
                .map(Dependency::getDescription))
        .as("uses of another module that the table does not allow")
        .isEmpty();
  }

  @Test
  void every_module_with_code_is_built_before_this_test_looks_at_it() {
    Module here = Module.in(ROOT.relativize(Path.of("").toAbsolutePath()).toString());
    Set<String> dependencies =
        here.dependencies().map(org.apache.maven.model.Dependency::getArtifactId).collect(toSet());
    assertThat(MODULES.stream().filter(Module::hasCode))
        .filteredOn(it -> !it.folder().equals(here.folder()))
        .allMatch(it -> Files.isDirectory(it.mainClasses()), "is built")
        .allMatch(it -> dependencies.contains(it.pom().getArtifactId()), "is a dependency here");
  }

  @Test
  void an_internal_package_is_entered_from_its_own_module_only() {
    assertThat(
            dependenciesAcrossModules()
                .filter(it -> !MAY_ENTER_INTERNALS.contains(edgeOf(it).from()))
                .filter(it -> hasSegment("internal", it.getTargetClass().getPackageName()))
                .map(Dependency::getDescription))
        .as("uses of another module's internals")
        .isEmpty();
  }

  @Test
  void a_package_belongs_to_one_module() {
    assertThat(MODULES.stream().flatMap(Module::packages)).doesNotHaveDuplicates();
  }

  @Test
  void a_package_name_says_what_is_inside() {
    String nothing = "utils?|commons?|helpers?|impl|managers?";
    assertThat(MODULES.stream().flatMap(Module::packages).filter(it -> hasSegment(nothing, it)))
        .as("packages with a name that says nothing")
        .isEmpty();
  }

  @Test
  void every_package_is_null_marked() {
    String nullMarked = "org.jspecify.annotations.NullMarked";
    assertThat(
            MAIN.stream()
                .map(JavaClass::getPackage)
                .distinct()
                .filter(it -> !it.isAnnotatedWith(nullMarked))
                .map(JavaPackage::getName))
        .as("packages without @NullMarked in their package-info")
        .isEmpty();
  }

  @Test
  void the_poms_of_core_outbox_and_saga_bring_no_library() {
    assertThat(
            MODULES.stream()
                .filter(it -> NEED_THE_JDK_ONLY.contains(it.folder()))
                .flatMap(Module::dependenciesOfMainCode)
                .filter(it -> Module.called(it.getArtifactId()).isEmpty())
                .map(org.apache.maven.model.Dependency::getArtifactId)
                .filter(it -> !it.equals("jspecify")))
        .as("libraries of core, outbox and saga")
        .isEmpty();
  }

  @Test
  void the_code_of_core_outbox_and_saga_needs_nothing_but_the_jdk() {
    noClasses()
        .that(describe("are in core, outbox or saga", it -> isIn(NEED_THE_JDK_ONLY, it)))
        .should()
        .dependOnClassesThat()
        .resideOutsideOfPackages("java..", "javax.sql..", "dev.onlyonce..", "org.jspecify..")
        .allowEmptyShould(true)
        .check(MAIN);
  }

  @Test
  void main_code_is_given_its_time_and_does_not_sleep() {
    noClasses()
        .should()
        .accessTargetWhere(
            targetIs(
                "a sleep or a look at the wall clock",
                SLEEP,
                "java\\.lang\\.System\\.currentTimeMillis\\(\\)",
                "java\\.time\\..*\\.now\\((?!java\\.time\\.Clock\\)).*",
                "java\\.util\\.Date\\.<init>\\(\\)",
                "java\\.util\\.Calendar\\.getInstance\\(.*"))
        .check(MAIN);
  }

  @Test
  void only_the_main_class_of_the_program_ends_the_jvm() {
    noClasses()
        .that(describe("are not the program's main class", it -> !isMainClassOfTheProgram(it)))
        .should()
        .accessTargetWhere(targetIs("an exit", "java\\.lang\\.(System|Runtime)\\.exit\\(int\\)"))
        .check(MAIN);
  }

  @Test
  void nothing_is_serialized_by_the_jdk() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveNameMatching("java\\.io\\.(Serializable|Externalizable|Object(In|Out)putStream)")
        .check(MAIN);
  }

  @Test
  void a_test_neither_sleeps_nor_is_switched_off() {
    noClasses()
        .should()
        .accessTargetWhere(targetIs("a sleep", SLEEP))
        .orShould()
        .dependOnClassesThat()
        .haveNameMatching("org\\.junit\\.jupiter\\.api\\.(Disabled|Assumptions|condition\\..*)")
        .check(TESTS);
  }

  private static JavaClasses importFrom(Function<Module, Path> folder) {
    return new ClassFileImporter()
        .withImportOption(location -> !location.contains("/jmh_generated/"))
        .importPaths(MODULES.stream().map(folder).toList());
  }

  private static boolean hasSegment(String pattern, String packageName) {
    return packageName.matches("(.*\\.)?(" + pattern + ")(\\..*)?");
  }

  private static Stream<Dependency> dependenciesAcrossModules() {
    return MAIN.stream()
        .flatMap(it -> it.getDirectDependenciesFromSelf().stream())
        .filter(it -> moduleOf(it.getTargetClass()).isPresent())
        .filter(it -> !edgeOf(it).from().equals(edgeOf(it).to()));
  }

  /** The edge that a use in the code stands for; what is optional is for the pom to say. */
  private static Edge edgeOf(Dependency use) {
    return new Edge(
        moduleOf(use.getOriginClass()).orElseThrow().folder(),
        moduleOf(use.getTargetClass()).orElseThrow().folder(),
        true);
  }

  private static boolean isAllowed(Edge edge) {
    return TABLE.stream().anyMatch(it -> it.allows(edge));
  }

  private static Optional<Module> moduleOf(JavaClass type) {
    return type.getBaseComponentType()
        .getSource()
        .flatMap(
            source ->
                MODULES.stream()
                    .filter(it -> source.getUri().toString().startsWith(it.mainClassesUri()))
                    .findAny());
  }

  private static boolean isIn(Set<String> folders, JavaClass type) {
    return moduleOf(type).map(Module::folder).filter(folders::contains).isPresent();
  }

  private static boolean isMainClassOfTheProgram(JavaClass type) {
    return isIn(Set.of("app"), type) && type.tryGetMethod("main", String[].class).isPresent();
  }

  private static DescribedPredicate<JavaAccess<?>> targetIs(String what, String... patterns) {
    Predicate<String> matches = Pattern.compile(String.join("|", patterns)).asMatchPredicate();
    return describe("target is " + what, it -> matches.test(it.getTarget().getFullName()));
  }

  /** A folder with a pom. */
  private record Module(String folder, Model pom) {
    static List<Module> all() {
      return in("").pom().getModules().stream().map(Module::in).toList();
    }

    static Module in(String folder) {
      try (InputStream pom = Files.newInputStream(ROOT.resolve(folder).resolve("pom.xml"))) {
        return new Module(folder, new MavenXpp3Reader().read(pom));
      } catch (Exception e) {
        throw new IllegalStateException("cannot read the pom of the module " + folder, e);
      }
    }

    static Optional<Module> called(String artifactId) {
      return MODULES.stream().filter(it -> it.pom.getArtifactId().equals(artifactId)).findAny();
    }

    Path mainClasses() {
      return ROOT.resolve(folder).resolve("target/classes");
    }

    Path testClasses() {
      return ROOT.resolve(folder).resolve("target/test-classes");
    }

    String mainClassesUri() {
      return mainClasses().toUri().toString();
    }

    /** Read from the folders: two modules may even have a class of the same name. */
    Stream<String> packages() {
      Path classes = mainClasses();
      if (!Files.isDirectory(classes)) {
        return Stream.empty();
      }
      try (Stream<Path> files = Files.walk(classes)) {
        return files
            .filter(it -> it.toString().endsWith(".class"))
            .map(it -> classes.relativize(it.getParent()).toString().replace('/', '.'))
            .collect(toSet())
            .stream();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    boolean hasCode() {
      return Files.exists(ROOT.resolve(folder).resolve("src/main/java"));
    }

    boolean isIn(Row row) {
      return matches(row.from(), folder);
    }

    Stream<org.apache.maven.model.Dependency> dependencies() {
      return Stream.<ModelBase>concat(Stream.of(pom), pom.getProfiles().stream())
          .flatMap(it -> it.getDependencies().stream());
    }

    Stream<org.apache.maven.model.Dependency> dependenciesOfMainCode() {
      return dependencies().filter(it -> !"test".equals(it.getScope()));
    }

    Stream<Edge> edges() {
      return dependenciesOfMainCode()
          .flatMap(
              it ->
                  called(it.getArtifactId())
                      .map(target -> new Edge(folder, target.folder, it.isOptional()))
                      .stream());
    }

    @Override
    public String toString() {
      return folder;
    }
  }

  /** A module that depends on another one. */
  private record Edge(String from, String to, boolean optional) {
    @Override
    public String toString() {
      return from + " -> " + to + (optional ? " (optional)" : "");
    }
  }

  /** A line of the table: the modules that it is about, and the modules these may depend on. */
  private record Row(String from, List<String> to) {
    private static final Pattern BLOCK =
        Pattern.compile("^```edges$(.+?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    static List<Row> all() {
      try {
        Matcher block = BLOCK.matcher(Files.readString(ROOT.resolve("docs/ARCHITECTURE.md")));
        assertThat(block.find()).as("docs/ARCHITECTURE.md has a block of edges").isTrue();
        return block.group(1).strip().lines().map(Row::parse).toList();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static Row parse(String line) {
      String[] sides = line.split("->", 2);
      return new Row(sides[0].strip(), List.of(sides[1].strip().split(", *", -1)));
    }

    boolean allows(Edge edge) {
      return matches(from, edge.from())
          && to.stream()
              .filter(it -> edge.optional() || !it.endsWith("?"))
              .anyMatch(it -> matches(it.replace("?", ""), edge.to()));
    }
  }

  private static boolean matches(String pattern, String folder) {
    return folder.matches(pattern.replace("*", ".*"));
  }
}
