package dev.onlyonce.testkit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** Hands each test of a contract its {@link Lab} and closes it afterwards. */
final class LabExtension implements ParameterResolver {

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext test) {
    return parameter.getParameter().getType() == Lab.class;
  }

  @Override
  public Lab resolveParameter(ParameterContext parameter, ExtensionContext test) {
    return test.getStore(Namespace.create(LabExtension.class, test.getUniqueId()))
        .computeIfAbsent(
            Lab.class, key -> new Lab((StoreFixture) test.getRequiredTestInstance()), Lab.class);
  }
}
